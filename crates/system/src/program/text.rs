//! Renders programs for people: procedures, locations and steps in C-like notation.

use super::{
    Argument, Automaton, BinaryOperator, Body, Callee, Comparison, Float, Initial, Integer, LocationId, Place,
    Procedure, ProcedureId, Program, Reason, Root, Scalar, Selector, Step, Type, TypeId, UnaryOperator, Value,
    VariableId, VariableKind,
};
use std::fmt::Write;

impl Program {
    /// The whole program.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, variable) in self.variables.iter().enumerate() {
            if variable.procedure.is_some() {
                continue;
            }
            let id = VariableId(u32::try_from(index).unwrap_or(u32::MAX));
            let word = if variable.kind == VariableKind::Literal {
                "literal"
            } else {
                "global"
            };
            let constant = if variable.is_constant { " constant" } else { "" };
            let initial = match &variable.initial {
                Initial::Undefined => String::new(),
                Initial::Zero => " = zero".to_owned(),
                Initial::Bytes(bytes) => format!(" = {}", bytes_text(bytes)),
            };
            let declared = self.declared(variable.type_id, &self.variable_name(id));
            let _ = writeln!(text, "{word}{constant} {declared}{initial}");
        }
        for (index, property) in self.properties.iter().enumerate() {
            let _ = writeln!(text, "property {index}: {}", property.name);
        }
        for procedure in &self.procedures {
            text.push('\n');
            text.push_str(&self.procedure_text(procedure));
        }
        text
    }

    pub fn procedure_text(&self, procedure: &Procedure) -> String {
        let parameters: Vec<String> = procedure
            .parameters
            .iter()
            .map(|parameter| self.declared(self[*parameter].type_id, &self.variable_name(*parameter)))
            .chain(procedure.is_variadic.then(|| "...".to_owned()))
            .collect();
        let inner = format!("{}({})", procedure.name, parameters.join(", "));
        let head = match procedure.result {
            Some(result) => self.declared(self[result].type_id, &inner),
            None => format!("void {inner}"),
        };
        match &procedure.body {
            Body::Unknown => format!("{head}: unknown\n"),
            Body::Library(library) => format!("{head}: library {library:?}\n"),
            Body::Automaton(automaton) => format!("{head} {{\n{}}}\n", self.automaton_text(automaton)),
        }
    }

    fn automaton_text(&self, automaton: &Automaton) -> String {
        let mut text = String::new();
        for (index, location) in automaton.locations.iter().enumerate() {
            let id = LocationId(u32::try_from(index).unwrap_or(u32::MAX));
            let label = match &location.label {
                Some(label) => format!(" {label}"),
                None => String::new(),
            };
            let role = match id {
                _ if id == automaton.exit => " exit",
                _ if id == automaton.entry => " entry",
                _ => "",
            };
            let _ = writeln!(text, "{index}{role}{label}:");
            for edge in &location.edges {
                let step = self.step_text(&edge.step);
                let next = if edge.to.index() == index + 1 {
                    String::new()
                } else {
                    format!(" -> {}", edge.to.0)
                };
                let _ = writeln!(text, "    {step}{next}");
            }
        }
        text
    }

    /// A step, without its target.
    pub fn step_text(&self, step: &Step) -> String {
        match step {
            Step::Skip => "skip".to_owned(),
            Step::Assume {
                condition,
                holds,
                reason,
            } => {
                let word = match reason {
                    Reason::Branch => "if",
                    Reason::Assumption => "assume",
                };
                let not = if *holds { "" } else { "not " };
                format!("{word} {not}{}", self.value_text(condition))
            }
            Step::Assign { target, value } => format!("{} = {}", self.place_text(target), self.value_text(value)),
            Step::Copy { target, source } => {
                format!("{} = copy of {}", self.place_text(target), self.place_text(source))
            }
            Step::Choose { target, name } => format!("{} = any value: {name}", self.place_text(target)),
            Step::Call {
                callee,
                arguments,
                result,
            } => self.call_text(callee, arguments, result.as_ref()),
            Step::Enter(variable) => format!("enter {}", self.variable_name(*variable)),
            Step::Leave(variable) => format!("leave {}", self.variable_name(*variable)),
            Step::Violate(property) => format!("violate {}", self[*property].name),
        }
    }

    fn call_text(&self, callee: &Callee, arguments: &[Argument], result: Option<&Place>) -> String {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Scalar(value) => self.value_text(value),
                Argument::Record(place) => self.place_text(place),
            })
            .collect();
        let callee = match callee {
            Callee::Procedure(procedure) => self[*procedure].name.clone(),
            Callee::Pointer(value) => format!("(*{})", self.value_text(value)),
        };
        let call = format!("{callee}({})", arguments.join(", "));
        match result {
            Some(result) => format!("{} = {call}", self.place_text(result)),
            None => call,
        }
    }

    /// The source name.
    pub fn variable_name(&self, id: VariableId) -> String {
        self[id].name.clone()
    }

    pub fn place_text(&self, place: &Place) -> String {
        let (mut text, mut type_id, is_pointer) = match &place.root {
            Root::Variable(variable) => (self.variable_name(*variable), self[*variable].type_id, false),
            Root::Dereference { pointer, type_id } => (self.value_text(pointer), *type_id, true),
        };
        let mut selectors = place.selectors.iter();
        if is_pointer {
            match place.selectors.first() {
                Some(Selector::Field(field)) => {
                    selectors.next();
                    text = format!("{}->{}", atom(text), self.field_name(type_id, *field));
                    type_id = self.field_type(type_id, *field);
                }
                Some(Selector::Index(_)) => text = format!("(*{text})"),
                None => text = format!("*{}", atom(text)),
            }
        }
        for selector in selectors {
            match selector {
                Selector::Field(field) => {
                    let _ = write!(text, ".{}", self.field_name(type_id, *field));
                    type_id = self.field_type(type_id, *field);
                }
                Selector::Index(index) => {
                    let _ = write!(text, "[{}]", self.value_text(index));
                    if let Type::Array { element, .. } = &self.types[type_id] {
                        type_id = *element;
                    }
                }
            }
        }
        text
    }

    fn field_name(&self, record: TypeId, field: usize) -> String {
        let Type::Record(record) = &self.types[record] else {
            return format!("<{field}>");
        };
        match self.types[*record].fields.get(field) {
            Some(field) if !field.name.is_empty() => field.name.clone(),
            _ => format!("<{field}>"),
        }
    }

    fn field_type(&self, record: TypeId, field: usize) -> TypeId {
        let Type::Record(id) = &self.types[record] else {
            return record;
        };
        self.types[*id].fields.get(field).map_or(record, |field| field.type_id)
    }

    pub fn value_text(&self, value: &Value) -> String {
        match value {
            Value::Integer { value, integer } => format!("{value}{}", suffix(*integer)),
            Value::Float { bits, float } => {
                let letter = if *float == Float::Single { "f" } else { "" };
                format!("{:?}{letter}", f64::from_bits(*bits))
            }
            Value::Read { place, .. } => self.place_text(place),
            Value::Address(place) => format!("&{}", self.place_text(place)),
            Value::Procedure(procedure) => self.procedure_name(*procedure),
            Value::Unary { operator, operand } => {
                let word = match operator {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Complement => "~",
                };
                format!("{word}{}", atom(self.value_text(operand)))
            }
            Value::Binary { operator, left, right } => self.infix(binary_word(*operator), left, right),
            Value::Compare {
                comparison,
                left,
                right,
                ..
            } => self.infix(comparison_word(*comparison), left, right),
            Value::Offset { pointer, index, bytes } => {
                let scale = if *bytes == 1 {
                    String::new()
                } else {
                    format!(" * {bytes}")
                };
                format!(
                    "{} +> {}{scale}",
                    atom(self.value_text(pointer)),
                    atom(self.value_text(index))
                )
            }
            Value::Distance { left, right, bytes, .. } => {
                let difference = self.infix("-", left, right);
                format!("({difference}) / {bytes}")
            }
            Value::Convert { to, value } => format!("({}){}", scalar_name(*to), atom(self.value_text(value))),
        }
    }

    fn procedure_name(&self, id: ProcedureId) -> String {
        self[id].name.clone()
    }

    fn infix(&self, word: &str, left: &Value, right: &Value) -> String {
        format!(
            "{} {word} {}",
            atom(self.value_text(left)),
            atom(self.value_text(right))
        )
    }

    /// A type in C notation.
    pub fn type_text(&self, id: TypeId) -> String {
        self.declared(id, "")
    }

    /// A declaration of `name` with this type in C notation.
    pub fn declared(&self, id: TypeId, name: &str) -> String {
        let mut id = id;
        let mut inner = name.to_owned();
        loop {
            match &self.types[id] {
                Type::Pointer(target) => {
                    inner = format!("*{inner}");
                    if matches!(self.types[*target], Type::Array { .. } | Type::Procedure { .. }) {
                        inner = format!("({inner})");
                    }
                    id = *target;
                }
                Type::Array { element, length } => {
                    let length = length.map_or(String::new(), |length| length.to_string());
                    inner = format!("{inner}[{length}]");
                    id = *element;
                }
                Type::Procedure {
                    parameters,
                    is_variadic,
                    result,
                } => {
                    let parameters = parameters.iter().map(|parameter| self.type_text(*parameter));
                    let parameters: Vec<String> = parameters.chain(is_variadic.then(|| "...".to_owned())).collect();
                    inner = format!("{inner}({})", parameters.join(", "));
                    id = *result;
                }
                Type::Void => return spaced("void", &inner),
                Type::Integer(integer) => return spaced(&integer_name(*integer), &inner),
                Type::Float(float) => return spaced(float_name(*float), &inner),
                Type::Record(record) => return spaced(&self.types[*record].name, &inner),
            }
        }
    }
}

fn spaced(word: &str, inner: &str) -> String {
    match inner.is_empty() {
        true => word.to_owned(),
        false => format!("{word} {inner}"),
    }
}

/// Adds parentheses to a compound expression.
fn atom(text: String) -> String {
    let is_atom = text
        .chars()
        .all(|each| each.is_alphanumeric() || matches!(each, '_' | '$' | '.' | '[' | ']'));
    if is_atom { text } else { format!("({text})") }
}

fn suffix(integer: Integer) -> &'static str {
    match (integer.bits, integer.is_signed) {
        (64, true) => "ll",
        (64, false) => "ull",
        (_, false) => "u",
        _ => "",
    }
}

fn integer_name(integer: Integer) -> String {
    let letter = if integer.is_signed { 'i' } else { 'u' };
    format!("{letter}{}", integer.bits)
}

fn float_name(float: Float) -> &'static str {
    match float {
        Float::Single => "float",
        Float::Double => "double",
        Float::Extended { .. } => "long double",
    }
}

fn scalar_name(scalar: Scalar) -> String {
    match scalar {
        Scalar::Integer(integer) => integer_name(integer),
        Scalar::Float(float) => float_name(float).to_owned(),
        Scalar::Pointer => "void *".to_owned(),
    }
}

fn binary_word(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Remainder => "%",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
        BinaryOperator::And => "&",
        BinaryOperator::Or => "|",
        BinaryOperator::ExclusiveOr => "^",
    }
}

fn comparison_word(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// As a string literal if it is one; otherwise its first bytes.
fn bytes_text(bytes: &[u8]) -> String {
    let text = bytes
        .strip_suffix(b"\0")
        .filter(|text| text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')));
    if let Some(text) = text {
        return format!("{:?}", String::from_utf8_lossy(text));
    }
    let shown: Vec<String> = bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > 16 {
        format!(" ... ({} bytes)", bytes.len())
    } else {
        String::new()
    };
    format!("bytes {}{more}", shown.join(" "))
}
