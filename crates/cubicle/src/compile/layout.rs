//! The position and type of each variable and cell in the state.

use super::{CompileOptions, MAXIMAL_SIZE};
use crate::model::{Formula, Model, Processes, SymbolId, Term, TermKind, Type, UpdateKind};
use system::instance::{self, Instance, Slot, TypeId};
use system::{Diagnostic, Span};

/// The type of processes, for parameters and indices.
pub(super) const PROCESS: TypeId = 0;
/// If there are outsiders, their type, and that of variables over `proc`.
const OUTSIDER: TypeId = 1;
const PROCESS_OR_OUTSIDER: TypeId = 2;

/// The number of values of type `proc`, which determines the number of array cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The values 0, 1, ... of type `proc`.
    pub(crate) processes: i64,
    /// Additional values of type `proc`, after the processes.
    pub(crate) outsiders: i64,
}

/// The slots of an instance.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) shape: Shape,
    /// Real numbers are stored multiplied by this.
    pub(super) scale: i64,
    /// The first slot of each symbol; array cells are consecutive, the last index varying fastest.
    pub(super) offsets: Vec<usize>,
    pub(super) types: Vec<instance::Type>,
    pub(super) slots: Vec<Slot>,
    pub(super) families: Vec<String>,
    /// Whether some type has fewer values than the states could need.
    pub(super) incomplete: bool,
}

impl Shape {
    /// The shape of a compiled instance.
    pub(crate) fn of(instance: &Instance) -> Shape {
        let size = |ty: TypeId| match instance.types.get(ty) {
            Some(instance::Type::Scalarset { size, .. }) => *size,
            _ => 0,
        };
        let with_outsiders = matches!(
            instance.types.get(PROCESS_OR_OUTSIDER),
            Some(instance::Type::Union { .. })
        );
        Shape {
            processes: size(PROCESS).max(1),
            outsiders: if with_outsiders { size(OUTSIDER) } else { 0 },
        }
    }

    /// The type of variables over `proc`.
    pub(crate) fn process_type(&self) -> TypeId {
        if self.outsiders > 0 {
            PROCESS_OR_OUTSIDER
        } else {
            PROCESS
        }
    }

    /// The number of tuples of processes of this length.
    pub(crate) fn cells(&self, arity: usize) -> usize {
        let processes = usize::try_from(self.processes).unwrap_or(usize::MAX);
        let arity = u32::try_from(arity).unwrap_or(u32::MAX);
        processes.checked_pow(arity).unwrap_or(usize::MAX)
    }

    /// The indices of the cell with this number.
    pub(crate) fn cell_indices(&self, cell: usize, arity: usize) -> Vec<i64> {
        let mut rest = i64::try_from(cell).unwrap_or(0);
        let mut indices = vec![0; arity];
        for index in indices.iter_mut().rev() {
            *index = rest % self.processes;
            rest /= self.processes;
        }
        indices
    }
}

impl Layout {
    pub(super) fn new(model: &Model, options: &CompileOptions) -> Result<Layout, Diagnostic> {
        let outsiders = options.outsiders.unwrap_or(u32::from(model.outsiders));
        let mut layout = Layout {
            shape: Shape {
                processes: i64::from(options.processes),
                outsiders: i64::from(outsiders),
            },
            scale: scale(model).ok_or_else(|| {
                Diagnostic::error(
                    Span::default(),
                    "the real numbers of this file have too many digits to be explored",
                )
            })?,
            offsets: Vec::new(),
            types: Vec::new(),
            slots: Vec::new(),
            families: Vec::new(),
            incomplete: false,
        };
        layout.size(model)?;
        layout.add_process_types(model);
        for number in 0..model.symbols.len() {
            layout.add_symbol(model, options, SymbolId(number));
        }
        layout.incomplete = layout.too_few_values(model, options);
        Ok(layout)
    }

    /// Rejects instances that would not fit into memory.
    fn size(&self, model: &Model) -> Result<(), Diagnostic> {
        let mut total = 0_usize;
        for symbol in &model.symbols {
            total = total.saturating_add(self.shape.cells(symbol.arity));
            if total > MAXIMAL_SIZE || self.shape.processes + self.shape.outsiders > 1_000_000 {
                let message = format!("an instance with {} processes is too large", self.shape.processes);
                return Err(Diagnostic::error(symbol.span, message).label("too many cells"));
            }
        }
        Ok(())
    }

    fn add_process_types(&mut self, model: &Model) {
        let symmetric = !model.ordered && !matches!(model.processes, Processes::Exactly(_));
        self.types.push(instance::Type::Scalarset {
            name: "proc".to_owned(),
            size: self.shape.processes,
            symmetric,
            labels: Some((1..=self.shape.processes).map(|n| format!("#{n}")).collect()),
        });
        if self.shape.outsiders > 0 {
            self.types.push(instance::Type::Scalarset {
                // No type of the source has such a name.
                name: "proc.outsider".to_owned(),
                size: self.shape.outsiders,
                symmetric: !model.ordered,
                labels: Some((1..=self.shape.outsiders).map(|n| format!("outsider_{n}")).collect()),
            });
            self.types.push(instance::Type::Union {
                members: vec![PROCESS, OUTSIDER],
            });
        }
    }

    fn add_symbol(&mut self, model: &Model, options: &CompileOptions, id: SymbolId) {
        let symbol = model.symbol(id);
        let ty = self.type_id(model, options, symbol.ty);
        let family = self.families.len();
        self.families.push(display(&symbol.name, symbol.arity));
        self.offsets.push(self.slots.len());
        for cell in 0..self.shape.cells(symbol.arity) {
            let indices = self.shape.cell_indices(cell, symbol.arity);
            self.slots.push(Slot {
                ty,
                family,
                indices: indices.into_iter().map(|index| (PROCESS, index)).collect(),
            });
        }
    }

    /// The instance type of a symbol, added if it is new.
    fn type_id(&mut self, model: &Model, options: &CompileOptions, ty: Type) -> TypeId {
        let (low, high) = options.integer_window;
        let wanted = match ty {
            Type::Process | Type::Unknown => return self.shape.process_type(),
            // An enumeration, so that values are displayed as written.
            Type::Boolean => instance::Type::Enum {
                name: "bool".to_owned(),
                values: vec!["False".to_owned(), "True".to_owned()],
            },
            Type::Integer => instance::Type::Integer { window: (low, high) },
            Type::Real => instance::Type::Real {
                scale: self.scale,
                window: (low.saturating_mul(self.scale), high.saturating_mul(self.scale)),
            },
            Type::Declared(id) => {
                let definition = &model.types[id.0];
                match &definition.constructors {
                    Some(values) => instance::Type::Enum {
                        name: definition.name.clone(),
                        values: values.clone(),
                    },
                    None => instance::Type::Scalarset {
                        name: definition.name.clone(),
                        size: i64::from(options.abstract_values),
                        symmetric: true,
                        labels: None,
                    },
                }
            }
        };
        if let Some(id) = self.types.iter().position(|ty| *ty == wanted) {
            return id;
        }
        self.types.push(wanted);
        self.types.len() - 1
    }

    /// If values are only compared for equality, a type with one value per slot behaves like an infinite one.
    fn too_few_values(&self, model: &Model, options: &CompileOptions) -> bool {
        let slots = |ty: Type| {
            let symbols = model.symbols.iter().filter(|symbol| symbol.ty == ty);
            symbols.map(|symbol| self.shape.cells(symbol.arity)).sum::<usize>()
        };
        let enough = |values: i64, ty: Type| usize::try_from(values).is_ok_and(|values| values >= slots(ty));
        let outsiders = model.outsiders && (model.ordered || !enough(self.shape.outsiders, Type::Process));
        let mut abstract_types = model
            .symbols
            .iter()
            .map(|symbol| symbol.ty)
            .filter(|ty| model.is_abstract(*ty));
        outsiders || abstract_types.any(|ty| !enough(i64::from(options.abstract_values), ty))
    }
}

/// The display form of a symbol, with `{}` for each index.
pub(crate) fn display(name: &str, arity: usize) -> String {
    match arity {
        0 => name.to_owned(),
        _ => format!("{name}[{}]", vec!["{}"; arity].join(", ")),
    }
}

/// The least factor that makes every real number in the file an integer; `None` on overflow.
fn scale(model: &Model) -> Option<i64> {
    let mut scale = Some(1_i128);
    let mut visit = |term: &Term| {
        number_in(term, &mut |denominator| {
            scale = scale.and_then(|scale| least_common_multiple(scale, denominator));
        })
    };
    let mut formula = |formula: &Formula| formula.for_each_term(&mut visit);
    formula(&model.init.formula);
    for block in model.unsafes.iter().chain(&model.invariants) {
        formula(&block.formula);
    }
    for transition in &model.transitions {
        formula(&transition.guard);
    }
    for update in model.transitions.iter().flat_map(|transition| &transition.updates) {
        if !matches!(update.kind, UpdateKind::Arbitrary) {
            update.for_each_term(&mut visit);
        }
    }
    scale
        .and_then(|scale| i64::try_from(scale).ok())
        .filter(|scale| *scale <= 1_000_000_000)
}

fn number_in(term: &Term, visit: &mut dyn FnMut(i128)) {
    match &term.kind {
        TermKind::Number(value) if term.ty == Type::Real => visit(value.denominator),
        TermKind::Sum(base, addend) => {
            number_in(base, visit);
            number_in(addend, visit);
        }
        _ => {}
    }
}

fn least_common_multiple(a: i128, b: i128) -> Option<i128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}
