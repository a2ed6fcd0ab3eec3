use super::*;

/// No turn is given out twice: whoever was first with it could end another's claim.
#[test]
fn claims_end_before_their_turns_repeat() {
    let mut claims = MemoryClaims { turns: u64::MAX - 1, ..MemoryClaims::with_room(8) };
    let claim = |claims: &mut MemoryClaims, name, now| {
        let Ok(said) = claims.claim(&Claim::for_other("kind", name, 10), now);
        said
    };
    let Claimed::First(last) = claim(&mut claims, "a", 0) else { panic!("not first") };
    assert_eq!(last.turn(), u64::MAX);
    for (name, now) in [("b", 0), ("a", 10)] {
        assert_eq!(claim(&mut claims, name, now), Claimed::Full);
    }
    assert_eq!(claim(&mut claims, "a", 9), Claimed::InProgress, "what was claimed stays so");
    assert_eq!(claims.end(&last, End::Finish), Ok(true));
    assert_eq!(claim(&mut claims, "a", 9), Claimed::Done);
}
