//! The library from outside: real example programs, called over MCP.

mod client;
mod faults;
mod http;
mod middleware;
mod protocol;
mod roundtrip;
mod torture;
mod ways;
