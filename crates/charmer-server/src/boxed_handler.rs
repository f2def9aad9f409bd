//! A client's handler whose type rmcp does not see: else all that it does would be in a program once for each place in which
//! rmcp calls it.

use std::{borrow::Cow, pin::Pin};

use rmcp::{
    ErrorData, RoleServer, Service,
    model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult},
    service::{DynService, NotificationContext, RequestContext},
};

use crate::handler::ClientHandler;

/// See the module's documentation.
pub(crate) struct BoxedHandler(Box<dyn DynService<RoleServer>>);

type BoxedAnswer<'a, T> = Pin<Box<dyn Future<Output = Result<T, ErrorData>> + Send + 'a>>;

impl BoxedHandler {
    pub(crate) fn new(handler: ClientHandler) -> Self {
        Self(Box::new(handler))
    }
}

impl Service<RoleServer> for BoxedHandler {
    fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ServerResult, ErrorData>> + Send + '_ {
        let answer: BoxedAnswer<'_, _> = self.0.as_ref().handle_request(request, context);
        answer
    }

    fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        let answer: BoxedAnswer<'_, _> = self.0.as_ref().handle_notification(notification, context);
        answer
    }

    fn get_info(&self) -> ServerConfig {
        self.0.as_ref().get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.as_ref().supported_protocol_versions()
    }
}
