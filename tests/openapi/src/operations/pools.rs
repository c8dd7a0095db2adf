//! Pools and the worker transport.

use toolgate_protocol::answers::{ChallengeAnswer, PoolSaved, PoolView, RotationAnswer};
use toolgate_protocol::control::PoolRequest;
use toolgate_protocol::lists::{ClaimsAnswer, Nothing, PoolPage, PoolStats, ResultsAnswer};
use toolgate_protocol::problems as p;
use toolgate_protocol::workers::{
    ClaimsRequest, GoodbyeRequest, PollAnswer, PollRequest, RegisterAnswer, RegisterRequest, RegistrationResult,
    ResultsRequest,
};

use super::ADMIN;
use crate::operation::{Operation, Who, operation};

const WORKER: Who = Who::Roles(&["worker"]);

pub fn operations() -> Vec<Operation> {
    vec![
        operation("GET", "/v1/pools", "listPools", ADMIN, "Lists pools.").pages().gives::<PoolPage>(200, "A page."),
        operation("GET", "/v1/pools/{pool}", "getPool", ADMIN, "Reads a pool.")
            .gives::<PoolView>(200, "The pool.")
            .refuses(&[p::NOT_FOUND]),
        operation(
            "PUT",
            "/v1/pools/{pool}",
            "putPool",
            ADMIN,
            "Writes a pool: its transport, and where its endpoint is.",
        )
        .takes::<PoolRequest>()
        .gives::<PoolSaved>(200, "The pool.")
        .gives::<PoolSaved>(201, "The pool, which is new; a secret that was made for it is shown once.")
        .lags::<PoolSaved>()
        .refuses(&[p::TRANSPORT_IN_USE, p::DESTINATION_REFUSED, p::SECRET_REFUSED, p::SECRET_IN_USE])
        .refuses(&[p::ENDPOINT_SUSPENDED, p::RESOLVER_UNAVAILABLE]),
        operation("GET", "/v1/pools/{pool}/stats", "poolStats", ADMIN, "A pool in numbers.")
            .gives::<PoolStats>(200, "The numbers.")
            .of_pool(),
        operation(
            "POST",
            "/v1/pools/{pool}/challenges",
            "challengeEndpoint",
            ADMIN,
            "Challenges a webhook pool's endpoint.",
        )
        .gives::<ChallengeAnswer>(200, "How it went.")
        .lags::<ChallengeAnswer>()
        .refuses(&[p::NOT_FOUND, p::ENDPOINT_SUSPENDED]),
        operation(
            "POST",
            "/v1/pools/{pool}/secret-rotations",
            "rotateSecret",
            ADMIN,
            "Makes a new signing secret; the old one signs for a day more.",
        )
        .gives::<RotationAnswer>(200, "The secret, shown once.")
        .lags::<RotationAnswer>()
        .refuses(&[p::NOT_FOUND]),
        operation(
            "POST",
            "/v1/pools/{pool}/manifest-syncs",
            "syncManifest",
            ADMIN,
            "Fetches the manifest of a webhook pool's endpoint.",
        )
        .gives::<RegistrationResult>(200, "What became of it.")
        .refuses(&[
            p::NOT_FOUND,
            p::ENDPOINT_SUSPENDED,
            p::MANIFEST_UNAVAILABLE,
            p::PAYLOAD_TOO_LARGE,
            p::INVALID_REQUEST,
        ]),
    ]
}

fn worker(path: &'static str, id: &'static str, summary: &'static str) -> Operation {
    operation("POST", path, id, WORKER, summary).of_pool().refuses(&[p::POOL_NOT_IN_SCOPE, p::TRANSPORT_IN_USE])
}

pub fn workers() -> Vec<Operation> {
    vec![
        worker("/v1/pools/{pool}/workers", "register", "Announces tools and begins a session.")
            .takes::<RegisterRequest>()
            .gives::<RegisterAnswer>(200, "The session, and what became of each tool."),
        worker("/v1/pools/{pool}/goodbyes", "goodbye", "Ends a session.")
            .takes::<GoodbyeRequest>()
            .gives::<Nothing>(200, "It is over."),
        worker("/v1/pools/{pool}/claims", "poll", "Takes jobs, waiting for them; may bring accepts and results along.")
            .takes::<PollRequest>()
            .gives::<PollAnswer>(200, "Jobs, statuses, or both.")
            .gives_nothing(204, "Nothing to do.")
            .refuses(&[p::UNKNOWN_SESSION]),
        worker("/v1/pools/{pool}/accepts", "accept", "Says that writes are about to start.")
            .takes::<ClaimsRequest>()
            .gives::<ClaimsAnswer>(200, "A status for each claim.")
            .refuses(&[p::UNKNOWN_SESSION]),
        worker("/v1/pools/{pool}/renewals", "renew", "Keeps claims.")
            .takes::<ClaimsRequest>()
            .gives::<ClaimsAnswer>(200, "A status for each claim.")
            .refuses(&[p::UNKNOWN_SESSION]),
        worker("/v1/pools/{pool}/returns", "giveBack", "Gives back what was not started.")
            .takes::<ClaimsRequest>()
            .gives::<ClaimsAnswer>(200, "A status for each claim.")
            .refuses(&[p::UNKNOWN_SESSION]),
        worker("/v1/pools/{pool}/results", "results", "Brings outcomes.")
            .takes::<ResultsRequest>()
            .gives::<ResultsAnswer>(200, "A status for each claim.")
            .refuses(&[p::UNKNOWN_SESSION]),
    ]
}
