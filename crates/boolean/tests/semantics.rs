//! What statements mean, one small program each, with the expected answer.

#![allow(clippy::unwrap_used, clippy::panic)]

use boolean::{Reason, Verdict, check, read};
use logic::Cancellation;
use system::SourceFile;

fn verdict(text: &str) -> Verdict {
    let (program, _) = read(SourceFile::new("test.bp", text)).unwrap_or_else(|_| panic!("{text}"));
    check(&program, &Cancellation::new()).unwrap().verdict
}

fn is_safe(text: &str) -> bool {
    match verdict(text) {
        Verdict::Safe => true,
        Verdict::Unsafe(_) => false,
        Verdict::Unknown(reason) => panic!("{reason}: {text}"),
    }
}

/// Das' thesis, figures 6.4 and 6.5: the abstraction of three comparisons, without and with a constraint.
#[test]
fn the_example_of_the_thesis() {
    let program = |constraint: &str| {
        format!(
            "void main() begin decl b1, b2, b3; b1, b2, b3 := *, *, *{constraint};
             if (b1) then if (b2) then if (!b3) then assert(F); fi; fi; fi; end"
        )
    };
    assert!(!is_safe(&program("")));
    assert!(is_safe(&program(" constrain !('b1 & 'b2 & !'b3)")));
}

#[test]
fn what_is_enforced_holds_after_every_step() {
    // After a call, after `dead`, at the beginning, and not in procedures that are called.
    let call = |body: &str| {
        format!("decl g; void f() begin {body} g := F; end void main() begin enforce g; f(); assert(g); end")
    };
    assert!(is_safe(&call("")));
    assert!(!is_safe(&call("assert(g); g := F; assert(g);")));
    assert!(is_safe("decl g; void main() begin enforce g; dead g; assert(g); end"));
    assert!(is_safe(
        "decl g; enforce g; void f() begin g := *; assert(g); end void main() begin f(); assert(g); end"
    ));
    let nothing = verdict("decl g; enforce g & !g; void main() begin assert(F); end");
    assert_eq!(nothing, Verdict::Unknown(Reason::NoRun));
}

#[test]
fn recursion_and_results() {
    let flip = "bool flip(x) begin decl y; if (*) then return !x; fi; y := flip(x); return y; end";
    assert!(is_safe(&format!(
        "{flip} void main() begin decl a, b; b := flip(a); assert(a != b); end"
    )));
    assert!(!is_safe(&format!(
        "{flip} void main() begin decl a, b; b := flip(a); assert(a = b); end"
    )));
    // Without a return, any values; without an end, none.
    assert!(!is_safe(
        "bool f() begin skip; end void main() begin decl a; a := f(); assert(a); end"
    ));
    assert!(is_safe("void f() begin f(); end void main() begin f(); assert(F); end"));
    // A result that is a global comes after what the procedure did to it.
    assert!(is_safe(
        "decl g; bool f() begin g := F; return T; end void main() begin g := f(); assert(g); end"
    ));
}
