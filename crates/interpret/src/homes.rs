//! The allocation of variables to registers and objects.

use crate::code::{Code, GlobalObject, Home};
use crate::word::{FIRST_OBJECT, Kind, Word};
use system::program::{
    Argument, Body, Callee, Float, Initial, Place, Program, Root, Scalar, Selector, Step, Value, VariableId,
};

/// The location of a variable in the compact form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VariableHome {
    Local(Home),
    GlobalRegister(u32),
    GlobalObject(Word),
}

/// Assigns a location to every variable, and counts the registers of each procedure.
pub(crate) fn assign(program: &Program, code: &mut Code) -> Vec<VariableHome> {
    let is_object = objects(program);
    let mut homes = Vec::with_capacity(program.variables.len());
    for (index, variable) in program.variables.iter().enumerate() {
        let id = VariableId(u32::try_from(index).unwrap_or(u32::MAX));
        let size = program.types.size(variable.type_id).unwrap_or(0);
        let frame = variable
            .procedure
            .and_then(|procedure| code.frames.get_mut(procedure.index()));
        homes.push(match (frame, is_object[index]) {
            (Some(frame), is_object) => {
                let register = frame.registers;
                frame.registers = frame.registers.saturating_add(1);
                frame.scalars.push(program.types.scalar(variable.type_id));
                if is_object {
                    frame.objects.push(register);
                    VariableHome::Local(Home::Object(register))
                } else {
                    VariableHome::Local(Home::Register(register))
                }
            }
            (None, true) => {
                let object = FIRST_OBJECT.saturating_add(u32::try_from(code.global_objects.len()).unwrap_or(u32::MAX));
                let initial = match &variable.initial {
                    Initial::Bytes(bytes) => bytes.len() as u64,
                    Initial::Undefined | Initial::Zero => 0,
                };
                code.global_objects.push(GlobalObject {
                    variable: id,
                    bytes: size.max(initial),
                });
                VariableHome::GlobalObject(Word::object(object, 0))
            }
            (None, false) => {
                let register = u32::try_from(code.globals.len()).unwrap_or(u32::MAX);
                code.globals.push(initial_word(program, id));
                code.global_scalars.push(program.types.scalar(variable.type_id));
                VariableHome::GlobalRegister(register)
            }
        });
    }
    homes
}

/// The initial content of a global register.
fn initial_word(program: &Program, id: VariableId) -> Word {
    let variable = &program[id];
    let bytes = match &variable.initial {
        Initial::Undefined => return Word::UNDEFINED,
        Initial::Zero => return Word::number(0),
        Initial::Bytes(bytes) => bytes,
    };
    let low = bytes.iter().take(8).enumerate();
    let number = low.fold(0, |number, (place, byte)| number | u64::from(*byte) << (8 * place));
    Word::number(match program.types.scalar(variable.type_id) {
        Some(Scalar::Integer(integer)) => Kind::new(integer).wrap(number),
        Some(Scalar::Float(Float::Single)) => {
            let low = u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0);
            f64::from(f32::from_bits(low)).to_bits()
        }
        _ => number,
    })
}

/// For each variable, whether it must lie in memory.
fn objects(program: &Program) -> Vec<bool> {
    let mut finder = Finder {
        program,
        is_object: vec![false; program.variables.len()],
    };
    for (index, variable) in program.variables.iter().enumerate() {
        let scalar = program.types.scalar(variable.type_id);
        let is_extended = matches!(scalar, Some(Scalar::Float(Float::Extended { .. })));
        finder.is_object[index] = scalar.is_none() || is_extended || variable.is_constant;
    }
    for procedure in &program.procedures {
        if let Body::Automaton(automaton) = &procedure.body {
            for edge in automaton.locations.iter().flat_map(|location| &location.edges) {
                finder.step(&edge.step);
            }
        }
    }
    finder.is_object
}

struct Finder<'a> {
    program: &'a Program,
    is_object: Vec<bool>,
}

enum Item<'a> {
    Value(&'a Value),
    Place(&'a Place),
}

impl Finder<'_> {
    fn pointed_at(&mut self, place: &Place) {
        if let Root::Variable(variable) = place.root
            && let Some(is_object) = self.is_object.get_mut(variable.index())
        {
            *is_object = true;
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Skip | Step::Enter(_) | Step::Leave(_) | Step::Violate(_) => {}
            Step::Assume { condition, .. } => self.walk(vec![Item::Value(condition)]),
            Step::Assign { target, value } => {
                if self.program.types.scalar(self.program.type_of(target)) != Some(value.scalar()) {
                    self.pointed_at(target);
                }
                self.walk(vec![Item::Place(target), Item::Value(value)]);
            }
            Step::Copy { target, source } => {
                self.pointed_at(target);
                self.pointed_at(source);
                self.walk(vec![Item::Place(target), Item::Place(source)]);
            }
            Step::Choose { target, .. } => self.walk(vec![Item::Place(target)]),
            Step::Call {
                callee,
                arguments,
                result,
            } => {
                let mut items: Vec<Item> = result.iter().map(Item::Place).collect();
                if let Callee::Pointer(pointer) = callee {
                    items.push(Item::Value(pointer));
                }
                for argument in arguments {
                    items.push(match argument {
                        Argument::Scalar(value) => Item::Value(value),
                        Argument::Record(place) => {
                            self.pointed_at(place);
                            Item::Place(place)
                        }
                    });
                }
                self.walk(items);
            }
        }
    }

    /// Iterative, since sums may be long.
    fn walk(&mut self, mut items: Vec<Item>) {
        while let Some(item) = items.pop() {
            match item {
                Item::Place(place) => {
                    if !place.selectors.is_empty() {
                        self.pointed_at(place);
                    }
                    if let Root::Dereference { pointer, .. } = &place.root {
                        items.push(Item::Value(pointer));
                    }
                    items.extend(place.selectors.iter().filter_map(|selector| match selector {
                        Selector::Index(index) => Some(Item::Value(index)),
                        Selector::Field(_) => None,
                    }));
                }
                Item::Value(value) => match value {
                    Value::Integer { .. } | Value::Float { .. } | Value::Procedure(_) => {}
                    Value::Read { place, scalar } => {
                        if self.program.types.scalar(self.program.type_of(place)) != Some(*scalar) {
                            self.pointed_at(place);
                        }
                        items.push(Item::Place(place));
                    }
                    Value::Address(place) => {
                        self.pointed_at(place);
                        items.push(Item::Place(place));
                    }
                    Value::Unary { operand: value, .. } | Value::Convert { value, .. } => {
                        items.push(Item::Value(value));
                    }
                    Value::Binary { left, right, .. }
                    | Value::Compare { left, right, .. }
                    | Value::Distance { left, right, .. }
                    | Value::Offset {
                        pointer: left,
                        index: right,
                        ..
                    } => items.extend([Item::Value(left), Item::Value(right)]),
                },
            }
        }
    }
}
