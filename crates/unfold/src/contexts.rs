//! Inlined calls: one context for each chain of calls, and the graph of locations in contexts.

use crate::Options;
use analysis::points_to::{PointsTo, Site, edge};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};
use system::Span;
use system::program::{Body, Callee, Edge, LocationId, ProcedureId, Program, PropertyId, Step};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContextId(pub(crate) u32);

impl ContextId {
    /// The context of the start procedure.
    pub const FIRST: ContextId = ContextId(0);
}

/// A call of a procedure, with the calls around it.
#[derive(Clone, Debug)]
pub struct Context {
    pub procedure: ProcedureId,
    /// The calling context and edge.
    pub caller: Option<(ContextId, LocationId, usize)>,
    /// The call is a single step, summarised by the contract of the procedure.
    pub is_by_contract: bool,
}

/// A location of the unfolded program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Node {
    At(ContextId, LocationId),
    /// The property is violated.
    Violated(PropertyId),
    /// A recursive call beyond the inlining depth.
    TooDeep,
    /// The start of an arbitrary call of a procedure that has a contract.
    Entry(ProcedureId),
    /// A call that violates the precondition of its contract.
    Broken,
}

#[derive(Clone)]
pub(crate) struct Contexts<'p> {
    pub(crate) program: &'p Program,
    pub(crate) points_to: &'p PointsTo,
    pub(crate) contexts: Vec<Context>,
    children: FxHashMap<(ContextId, LocationId, usize, ProcedureId), Option<ContextId>>,
    recursion: usize,
    /// The procedures that have contracts, each with the context of its arbitrary call.
    pub(crate) roots: BTreeMap<ProcedureId, ContextId>,
    /// One context per procedure instead of one per chain of calls: any procedure may be active below any other.
    pub(crate) is_per_procedure: bool,
}

impl Index<ContextId> for Contexts<'_> {
    type Output = Context;

    fn index(&self, id: ContextId) -> &Context {
        &self.contexts[id.0 as usize]
    }
}

impl IndexMut<ContextId> for Contexts<'_> {
    fn index_mut(&mut self, id: ContextId) -> &mut Context {
        &mut self.contexts[id.0 as usize]
    }
}

impl<'p> Contexts<'p> {
    pub(crate) fn new(program: &'p Program, points_to: &'p PointsTo, options: &Options) -> Contexts<'p> {
        let first = Context {
            procedure: program.start,
            caller: None,
            is_by_contract: false,
        };
        Contexts {
            program,
            points_to,
            contexts: vec![first],
            children: FxHashMap::default(),
            recursion: options.recursion,
            roots: BTreeMap::new(),
            is_per_procedure: false,
        }
    }

    /// One context for each procedure, with the same index.
    pub(crate) fn one_per_procedure(program: &'p Program, points_to: &'p PointsTo, options: &Options) -> Contexts<'p> {
        let procedures = (0..).map(ProcedureId).take(program.procedures.len());
        let context = |procedure| Context {
            procedure,
            caller: None,
            is_by_contract: false,
        };
        Contexts {
            contexts: procedures.map(context).collect(),
            is_per_procedure: true,
            ..Contexts::new(program, points_to, options)
        }
    }

    /// The context and those that may be around it, innermost first.
    pub(crate) fn chain(&self, id: ContextId) -> impl Iterator<Item = ContextId> {
        let around = |id: &ContextId| self[*id].caller.map(|(caller, ..)| caller);
        let callers = std::iter::successors((!self.is_per_procedure).then_some(id), around);
        let all = (0..)
            .map(ContextId)
            .take(if self.is_per_procedure { self.contexts.len() } else { 0 });
        callers.chain(all)
    }

    pub(crate) fn start(&self) -> Option<Node> {
        let automaton = self.program[self.program.start].body.automaton()?;
        Some(Node::At(ContextId(0), automaton.entry))
    }

    pub(crate) fn edges(&self, context: ContextId, location: LocationId) -> &'p [Edge] {
        let procedure = self[context].procedure;
        let automaton = self.program[procedure].body.automaton();
        automaton.map_or(&[], |automaton| &automaton.locations[location.index()].edges)
    }

    /// The context of an inlined call, created on demand. None where it is too deep.
    pub(crate) fn child(
        &mut self,
        caller: ContextId,
        location: LocationId,
        edge: usize,
        callee: ProcedureId,
    ) -> Option<ContextId> {
        if self.is_per_procedure {
            return Some(ContextId(callee.0));
        }
        let key = (caller, location, edge, callee);
        if let Some(known) = self.children.get(&key) {
            return *known;
        }
        let same = self.chain(caller).filter(|id| self[*id].procedure == callee).count();
        let is_by_contract = self.roots.contains_key(&callee);
        let made = (is_by_contract || same <= self.recursion).then(|| {
            self.contexts.push(Context {
                procedure: callee,
                caller: Some((caller, location, edge)),
                is_by_contract,
            });
            ContextId(u32::try_from(self.contexts.len() - 1).unwrap_or(u32::MAX))
        });
        self.children.insert(key, made);
        made
    }

    /// The context of an inlined call, if it exists.
    pub(crate) fn known_child(
        &self,
        caller: ContextId,
        location: LocationId,
        edge: usize,
        callee: ProcedureId,
    ) -> Option<ContextId> {
        let known = self.children.get(&(caller, location, edge, callee));
        known.copied().flatten()
    }

    pub(crate) fn callees(&self, context: ContextId, location: LocationId, edge: usize) -> Vec<ProcedureId> {
        let site = self.site(context, location, edge);
        self.points_to.callees(self.program, site)
    }

    pub(crate) fn site(&self, context: ContextId, location: LocationId, edge: usize) -> Site {
        Site {
            procedure: self[context].procedure,
            location,
            edge,
        }
    }

    /// The calling context and edge of a context.
    pub(crate) fn call_of(&self, context: ContextId) -> Option<(ContextId, &'p Edge)> {
        let (caller, location, number) = self[context].caller?;
        let edge = edge(self.program, self.site(caller, location, number))?;
        Some((caller, edge))
    }

    /// The source location of a step; for a step inside of the library, that of the call into the library.
    pub(crate) fn span(&self, context: ContextId, location: LocationId, number: usize) -> Option<Span> {
        let mut span = self.edges(context, location).get(number)?.span;
        let mut around = context;
        while self.program[self[around].procedure].is_library
            && let Some((caller, edge)) = self.call_of(around)
        {
            (around, span) = (caller, edge.span);
        }
        Some(span)
    }

    pub(crate) fn is_exit(&self, context: ContextId, location: LocationId) -> bool {
        let automaton = self.program[self[context].procedure].body.automaton();
        automaton.is_some_and(|automaton| automaton.exit == location)
    }

    /// The possible successors of a node.
    pub(crate) fn successors(&mut self, node: Node) -> Vec<Node> {
        let (context, location) = match node {
            Node::At(context, location) => (context, location),
            Node::Entry(procedure) => return self.entry_of(procedure).into_iter().collect(),
            Node::Violated(_) | Node::TooDeep | Node::Broken => return Vec::new(),
        };
        if self.is_exit(context, location) || self[context].is_by_contract {
            let call = self.call_of(context);
            return call
                .map(|(caller, edge)| Node::At(caller, edge.to))
                .into_iter()
                .collect();
        }
        let mut successors = Vec::new();
        for (number, edge) in self.edges(context, location).iter().enumerate() {
            match &edge.step {
                Step::Violate(property) => successors.push(Node::Violated(*property)),
                Step::Call { callee, .. } => {
                    if matches!(callee, Callee::Pointer(_)) {
                        successors.push(Node::At(context, edge.to));
                    }
                    for callee in self.callees(context, location, number) {
                        successors.push(match &self.program[callee].body {
                            Body::Automaton(automaton) => match self.child(context, location, number, callee) {
                                Some(child) => Node::At(child, automaton.entry),
                                None => Node::TooDeep,
                            },
                            Body::Library(_) | Body::Unknown => Node::At(context, edge.to),
                        });
                    }
                }
                _ => successors.push(Node::At(context, edge.to)),
            }
        }
        successors.sort_unstable();
        successors.dedup();
        successors
    }

    /// Such as `main.5/submit.3`: the locations of the calls on the chain, then the location itself.
    pub(crate) fn name(&self, node: Node) -> String {
        let Node::At(context, location) = node else {
            return format!("{node:?}");
        };
        let mut names = vec![format!("{}.{}", self.program[self[context].procedure].name, location.0)];
        if self.root_of(context).is_some() {
            names[0] = format!("any {}", names[0]);
        }
        for id in self.chain(context) {
            if let Some((caller, location, _)) = self[id].caller
                && caller != ContextId(0)
            {
                names.push(format!("{}.{}", self.program[self[caller].procedure].name, location.0));
            }
        }
        names.reverse();
        names.join("/")
    }
}
