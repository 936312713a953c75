//! `cubist serve`: what it refuses, and the page in a real browser.
#![allow(clippy::unwrap_used, clippy::panic)]

mod browser;
#[path = "../common/mod.rs"]
mod common;
mod page;
mod refused;
mod server;

testing::tests!(
    refused::bad_requests_are_refused_and_the_session_is_intact,
    refused::many_connections_and_a_huge_request_are_survived,
    refused::a_model_with_a_mistake_is_shown_with_its_place,
    server::a_session_is_kept_and_taken_up_again,
    server::a_step_can_be_cancelled,
    server::auto_and_qed_can_be_cancelled,
    server::a_file_of_cubicle_is_served,
    server::a_rule_is_marked_by_its_place,
    page::the_ticket_proof_by_clicks,
    page::the_page_is_readable,
    page::the_page_works_with_keys_alone,
    page::an_answer_is_kept_as_a_page,
);
