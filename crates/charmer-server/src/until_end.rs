//! A transport that says when its client has gone.
//!
//! At the end of the input rmcp waits some seconds for the answers of calls that still run. Nobody is going to read them,
//! so the calls are cancelled first, whatever the transport is.

use std::borrow::Cow;

use rmcp::{
    RoleServer,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio_util::sync::CancellationToken;

/// See the module's documentation.
pub(crate) struct UntilEnd<T> {
    inner: T,
    ended: CancellationToken,
}

impl<T> UntilEnd<T> {
    /// The same transport; `ended` is cancelled when it gives no more messages.
    pub(crate) fn new(inner: T, ended: CancellationToken) -> Self {
        Self { inner, ended }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for UntilEnd<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.ended.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}
