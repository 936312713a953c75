//! Which variables of a Boolean procedure still matter, and `dead` for those that do not.
//!
//! A variable is live before a statement where its value may be read from there on. Behind the last statement that
//! reads it, a run would only carry it along, and sets of states would tell every value of it from every other: the
//! arguments of each call, and what a branch was taken for. Ball and Rajamani's `dead` says that it becomes any value.

use boolean::{Action, Expression, LabelId, Procedure, Statement, Variable};
use std::collections::BTreeMap;

/// A set of local variables, by their numbers, 64 in a word.
#[derive(Clone, Debug)]
struct Locals(Vec<u64>);

impl Locals {
    fn none(procedure: &Procedure) -> Locals {
        Locals(vec![0; procedure.local_count().div_ceil(64)])
    }

    fn insert(&mut self, variable: Variable) {
        if let Variable::Local(number) = variable {
            self.0[number / 64] |= 1 << (number % 64);
        }
    }

    fn remove(&mut self, variable: Variable) {
        if let Variable::Local(number) = variable {
            self.0[number / 64] &= !(1 << (number % 64));
        }
    }

    /// Adds others, and says whether that is more.
    fn join(&mut self, others: &Locals) -> bool {
        let mut is_more = false;
        for (mine, theirs) in self.0.iter_mut().zip(&others.0) {
            is_more |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        is_more
    }

    fn without(&self, others: &Locals) -> impl Iterator<Item = Variable> {
        let words = self.0.iter().zip(&others.0).enumerate();
        words.flat_map(|(at, (mine, theirs))| {
            let rest = mine & !theirs;
            let numbers = (0..64).filter(move |bit| rest >> bit & 1 == 1);
            numbers.map(move |bit| Variable::Local(64 * at + bit))
        })
    }

    /// Adds what an expression reads of the state before a statement that writes to these.
    fn read(&mut self, expression: &Expression, written: &[Variable]) {
        match expression {
            Expression::Variable(variable) => self.insert(*variable),
            Expression::Next(variable) if !written.contains(variable) => self.insert(*variable),
            _ => {
                for part in expression.parts() {
                    self.read(part, written);
                }
            }
        }
    }
}

/// What is to be forgotten before a statement, and behind it.
#[derive(Default)]
struct Forgotten {
    before: Vec<Variable>,
    behind: Vec<Variable>,
}

/// Puts `dead` where locals die, in a body whose only branches are `goto`s. What stands for each statement goes along;
/// `new` stands for those that are put in. Some are kept until a statement although nothing reads them.
pub fn forget_dead<T: Copy>(
    procedure: &mut Procedure,
    origins: &mut Vec<T>,
    new: T,
    kept: &dyn Fn(T) -> Vec<Variable>,
) {
    let kept: Vec<Vec<Variable>> = origins.iter().map(|origin| kept(*origin)).collect();
    let forgotten = forgotten(procedure, &kept);
    let body = std::mem::take(&mut procedure.body);
    let old = std::mem::take(origins);
    for ((mut statement, origin), dead) in body.into_iter().zip(old).zip(forgotten) {
        let mut put = |statement: Statement, origin: T| {
            procedure.body.push(statement);
            origins.push(origin);
        };
        if !dead.before.is_empty() {
            let mut first = Statement::from(Action::Dead(dead.before));
            first.labels = std::mem::take(&mut statement.labels);
            put(first, new);
        }
        put(statement, origin);
        if !dead.behind.is_empty() {
            put(Statement::from(Action::Dead(dead.behind)), new);
        }
    }
}

fn forgotten(procedure: &Procedure, kept: &[Vec<Variable>]) -> Vec<Forgotten> {
    let body = &procedure.body;
    let next = successors(procedure);
    let live = live(procedure, &next, kept);
    let mut forgotten: Vec<Forgotten> = body.iter().map(|_| Forgotten::default()).collect();
    for (number, statement) in body.iter().enumerate() {
        let after = after(procedure, &live, &next[number]);
        match statement.action {
            Action::Goto(_) => {
                for to in next[number].iter().filter(|to| **to < body.len()) {
                    let there = &mut forgotten[*to].before;
                    there.extend(after.without(&live[*to]));
                    there.sort_unstable();
                    there.dedup();
                }
            }
            Action::Assign { .. } | Action::Assume(_) | Action::Call { .. } => {
                let mut held = live[number].clone();
                for variable in statement.written() {
                    held.insert(*variable);
                }
                forgotten[number].behind = held.without(&after).collect();
            }
            _ => {}
        }
    }
    forgotten
}

/// What is live before any of these statements.
fn after(procedure: &Procedure, live: &[Locals], next: &[usize]) -> Locals {
    let mut after = Locals::none(procedure);
    for there in next.iter().filter_map(|to| live.get(*to)) {
        after.join(there);
    }
    after
}

/// Where control goes from each statement.
fn successors(procedure: &Procedure) -> Vec<Vec<usize>> {
    let mut places: BTreeMap<LabelId, usize> = BTreeMap::new();
    for (number, statement) in procedure.body.iter().enumerate() {
        places.extend(statement.labels.iter().map(|label| (*label, number)));
    }
    let next = |(number, statement): (usize, &Statement)| match &statement.action {
        Action::Goto(labels) => labels.iter().filter_map(|label| places.get(label).copied()).collect(),
        Action::Return(_) => Vec::new(),
        _ => vec![number + 1],
    };
    procedure.body.iter().enumerate().map(next).collect()
}

/// What is live before each statement: the least fixpoint, backwards.
fn live(procedure: &Procedure, next: &[Vec<usize>], kept: &[Vec<Variable>]) -> Vec<Locals> {
    let mut always = Locals::none(procedure);
    for enforced in &procedure.enforced {
        always.read(enforced, &[]);
    }
    let mut live: Vec<Locals> = vec![always; procedure.body.len()];
    for (live, kept) in live.iter_mut().zip(kept) {
        kept.iter().for_each(|variable| live.insert(*variable));
    }
    loop {
        let mut is_stable = true;
        for (number, statement) in procedure.body.iter().enumerate().rev() {
            let mut here = after(procedure, &live, &next[number]);
            for variable in statement.written() {
                here.remove(*variable);
            }
            for expression in statement.expressions() {
                here.read(expression, statement.written());
            }
            is_stable &= !live[number].join(&here);
        }
        if is_stable {
            return live;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::forget_dead;
    use boolean::{Action, Expression, LabelId, Procedure, Statement, Variable};

    const X: Variable = Variable::Local(0);
    const Y: Variable = Variable::Local(1);

    /// `x, y := *, *; goto l, m; l: assume(x); return; m: return`
    fn procedure() -> Procedure {
        let [l, m] = [LabelId(0), LabelId(1)];
        let labelled = |label, action| Statement {
            labels: vec![label],
            ..Statement::from(action)
        };
        Procedure {
            locals: vec!["x".to_owned(), "y".to_owned()],
            labels: vec!["l".to_owned(), "m".to_owned()],
            body: vec![
                Statement::from(Action::Assign {
                    targets: vec![X, Y],
                    values: vec![Expression::Any, Expression::Any],
                    constraint: None,
                }),
                Statement::from(Action::Goto(vec![l, m])),
                labelled(l, Action::Assume(Expression::Variable(X))),
                Statement::from(Action::Return(Vec::new())),
                labelled(m, Action::Return(Vec::new())),
            ],
            ..Procedure::default()
        }
    }

    fn dead(procedure: &Procedure) -> Vec<(usize, Vec<Variable>)> {
        let statements = procedure.body.iter().enumerate();
        let dead = statements.filter_map(|(number, statement)| match &statement.action {
            Action::Dead(variables) => Some((number, variables.clone())),
            _ => None,
        });
        dead.collect()
    }

    #[test]
    fn what_nobody_reads_is_dead_at_once_and_what_is_read_behind_its_last_reader() {
        let mut procedure = procedure();
        let mut origins = vec![0, 1, 2, 3, 4];
        forget_dead(&mut procedure, &mut origins, 9, &|_| Vec::new());
        // `y` at once, `x` where it was read, and where it will not be.
        assert_eq!(dead(&procedure), [(1, vec![Y]), (4, vec![X]), (6, vec![X])]);
        assert_eq!(origins, [0, 9, 1, 2, 9, 3, 9, 4]);
        assert_eq!(procedure.body[6].labels, [LabelId(1)]);
        assert!(procedure.body[7].labels.is_empty());
    }

    #[test]
    fn what_is_kept_or_enforced_is_not_dead() {
        let mut with_kept = procedure();
        let kept = |number: usize| if number == 4 { vec![Y] } else { Vec::new() };
        forget_dead(&mut with_kept, &mut vec![0, 1, 2, 3, 4], 9, &kept);
        assert_eq!(dead(&with_kept), [(2, vec![Y]), (4, vec![X]), (6, vec![X])]);
        let mut enforced = procedure();
        enforced.enforced.push(Expression::Or(
            vec![X, Y].into_iter().map(Expression::Variable).collect(),
        ));
        forget_dead(&mut enforced, &mut vec![(); 5], (), &|()| Vec::new());
        assert!(dead(&enforced).is_empty());
    }
}
