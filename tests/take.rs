//! `take` through the program.

use crate::support::Sandbox;

#[test]
fn a_claim_is_taken_and_said() {
    let sandbox = Sandbox::new();
    sandbox
        .by("session-a41", ["take", "shared-config", "align the lint rule"])
        .stdout("claimed: shared-config by session-a41; stale in 15m without a beat\n")
        .check();
    assert_eq!(sandbox.files(), ["claims/shared-config.json", "lock"]);
}
