//! Control flow graphs: statements become edges between locations.

use crate::program::{Action, Expression, LabelId, Procedure, ProcedureId, Program, Statement, Variable};

/// A location in a procedure: before the statement of this index; then its end, and then [`Graph::exit`].
pub(super) type Location = usize;

/// The control flow graph of a procedure.
#[derive(Debug)]
pub(super) struct Graph<'p> {
    pub(super) entry: Location,
    /// Behind the last statement.
    pub(super) end: Location,
    /// Behind every return, where only globals and results are left.
    pub(super) exit: Location,
    pub(super) edges: Vec<Edge<'p>>,
    /// By location.
    pub(super) outgoing: Vec<Vec<usize>>,
    pub(super) incoming: Vec<Vec<usize>>,
    /// The assertion at each location.
    pub(super) assertions: Vec<Option<&'p Expression>>,
    /// The rank of each location in reverse postorder.
    pub(super) rank: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Edge<'p> {
    pub(super) from: Location,
    pub(super) to: Location,
    pub(super) step: Step<'p>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'p> {
    Keep,
    /// Where the condition can have this value.
    Test(&'p Expression, bool),
    Assign {
        targets: &'p [Variable],
        values: &'p [Expression],
        constraint: Option<&'p Expression>,
    },
    Forget(&'p [Variable]),
    Call {
        results: &'p [Variable],
        procedure: ProcedureId,
        arguments: &'p [Expression],
    },
    /// `None` where arbitrary results are returned.
    Return(Option<&'p [Expression]>),
}

impl<'p> Graph<'p> {
    pub(super) fn of(procedure: &'p Procedure) -> Graph<'p> {
        let mut builder = Builder {
            count: 0,
            labels: vec![0; procedure.labels.len()],
            gotos: Vec::new(),
            edges: Vec::new(),
            assertions: Vec::new(),
        };
        // Indices are assigned first, since the continuation of a block is known only later.
        let total = count(&procedure.body);
        let entry = builder.block(&procedure.body, total);
        let (end, exit) = (total, total + 1);
        for (from, label) in std::mem::take(&mut builder.gotos) {
            let to = builder.labels[label.0];
            builder.edge(from, to, Step::Keep);
        }
        builder.edge(end, exit, Step::Return(None));
        for edge in &mut builder.edges {
            if matches!(edge.step, Step::Return(_)) {
                edge.to = exit;
            }
        }
        let Builder {
            edges, mut assertions, ..
        } = builder;
        assertions.resize(exit + 1, None);
        let mut outgoing = vec![Vec::new(); exit + 1];
        let mut incoming = vec![Vec::new(); exit + 1];
        for (number, edge) in edges.iter().enumerate() {
            outgoing[edge.from].push(number);
            incoming[edge.to].push(number);
        }
        let mut graph = Graph {
            entry,
            end,
            exit,
            edges,
            outgoing,
            incoming,
            assertions,
            rank: Vec::new(),
        };
        graph.rank = graph.ranks();
        graph
    }

    pub(super) fn locations(&self) -> usize {
        self.exit + 1
    }

    /// Reverse postorder of a search from the entry; unreachable locations come last.
    fn ranks(&self) -> Vec<usize> {
        let mut visited = vec![false; self.locations()];
        let mut postorder = Vec::new();
        let mut stack = vec![(self.entry, 0)];
        visited[self.entry] = true;
        while let Some((location, next)) = stack.pop() {
            match self.outgoing[location].get(next) {
                Some(edge) => {
                    stack.push((location, next + 1));
                    let to = self.edges[*edge].to;
                    if !std::mem::replace(&mut visited[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => postorder.push(location),
            }
        }
        let mut ranks = vec![self.locations(); self.locations()];
        for (rank, location) in postorder.iter().rev().enumerate() {
            ranks[*location] = rank;
        }
        ranks
    }
}

fn count(block: &[Statement]) -> usize {
    let of_statement = |statement: &Statement| 1 + statement.blocks().into_iter().map(count).sum::<usize>();
    block.iter().map(of_statement).sum()
}

struct Builder<'p> {
    /// The number of statements that have an index.
    count: usize,
    labels: Vec<Location>,
    gotos: Vec<(Location, LabelId)>,
    edges: Vec<Edge<'p>>,
    assertions: Vec<Option<&'p Expression>>,
}

impl<'p> Builder<'p> {
    fn edge(&mut self, from: Location, to: Location, step: Step<'p>) {
        self.edges.push(Edge { from, to, step });
    }

    /// Adds the edges of a block that continues at `after`; returns its entry.
    fn block(&mut self, block: &'p [Statement], after: Location) -> Location {
        let begin = if block.is_empty() { after } else { self.count };
        for (position, statement) in block.iter().enumerate() {
            let behind = match position + 1 == block.len() {
                true => after,
                false => self.count + count(std::slice::from_ref(statement)),
            };
            self.statement(statement, behind);
        }
        begin
    }

    fn statement(&mut self, statement: &'p Statement, after: Location) {
        let here = self.count;
        self.count += 1;
        self.assertions.push(None);
        for label in &statement.labels {
            self.labels[label.0] = here;
        }
        match &statement.action {
            Action::Skip => self.edge(here, after, Step::Keep),
            Action::Assign {
                targets,
                values,
                constraint,
            } => {
                let step = Step::Assign {
                    targets,
                    values,
                    constraint: constraint.as_ref(),
                };
                self.edge(here, after, step);
            }
            Action::Dead(variables) => self.edge(here, after, Step::Forget(variables)),
            Action::Assume(condition) => self.edge(here, after, Step::Test(condition, true)),
            Action::Assert(condition) => {
                self.assertions[here] = Some(condition);
                self.edge(here, after, Step::Test(condition, true));
            }
            Action::Goto(labels) => self.gotos.extend(labels.iter().map(|label| (here, *label))),
            Action::Call {
                results,
                procedure,
                arguments,
            } => {
                let step = Step::Call {
                    results,
                    procedure: *procedure,
                    arguments,
                };
                self.edge(here, after, step);
            }
            // The exit is filled in at the end.
            Action::Return(values) => self.edge(here, here, Step::Return(Some(values))),
            Action::If {
                condition,
                then,
                otherwise,
            } => {
                let then = self.block(then, after);
                let otherwise = self.block(otherwise, after);
                self.edge(here, then, Step::Test(condition, true));
                self.edge(here, otherwise, Step::Test(condition, false));
            }
            Action::While { condition, body } => {
                let body = self.block(body, here);
                self.edge(here, body, Step::Test(condition, true));
                self.edge(here, after, Step::Test(condition, false));
            }
        }
    }
}

/// The graphs of all procedures.
pub(super) fn graphs(program: &Program) -> Vec<Graph<'_>> {
    program.procedures.iter().map(Graph::of).collect()
}

/// For each procedure, its call sites: a procedure and an edge of it.
pub(super) fn callers(graphs: &[Graph<'_>]) -> Vec<Vec<(usize, usize)>> {
    let mut callers = vec![Vec::new(); graphs.len()];
    for (caller, graph) in graphs.iter().enumerate() {
        for (number, edge) in graph.edges.iter().enumerate() {
            if let Step::Call { procedure, .. } = edge.step {
                callers[procedure.0].push((caller, number));
            }
        }
    }
    callers
}

/// An order of the procedures with callees first, except for recursion.
pub(super) fn callees_first(graphs: &[Graph<'_>], entry: ProcedureId) -> Vec<usize> {
    let called: Vec<Vec<usize>> = graphs
        .iter()
        .map(|graph| {
            let steps = graph.edges.iter().map(|edge| edge.step);
            let called = steps.filter_map(|step| match step {
                Step::Call { procedure, .. } => Some(procedure.0),
                _ => None,
            });
            called.collect()
        })
        .collect();
    let mut visited = vec![false; graphs.len()];
    let mut rank = vec![usize::MAX; graphs.len()];
    let mut next_rank = 0;
    let mut stack = vec![(entry.0, 0)];
    visited[entry.0] = true;
    while let Some((procedure, next)) = stack.pop() {
        match called[procedure].get(next) {
            Some(callee) => {
                stack.push((procedure, next + 1));
                if !std::mem::replace(&mut visited[*callee], true) {
                    stack.push((*callee, 0));
                }
            }
            None => {
                rank[procedure] = next_rank;
                next_rank += 1;
            }
        }
    }
    rank
}
