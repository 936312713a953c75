//! Expressions: C11 6.5. Literals, names, fields, sizes, and the dispatch over all forms.

use super::Checker;
use super::scope::Entity;
use crate::constant;
use crate::options::DataModel;
use crate::syntax::{
    self, CharacterLiteral, Encoding, ExpressionKind as Syntax, FloatLiteral, FloatSuffix, IntegerLiteral, Name,
    StringLiteral, TypeName, Unary,
};
use crate::tree::{Block, Expression, ExpressionKind, Literal, unit_bytes};
use crate::types::{FloatKind, IntegerKind, Kind, Length, Type};
use system::{Diagnostic, Span};

impl Checker {
    /// A typed expression before lvalue conversion.
    pub(super) fn expression(&mut self, syntax: &syntax::Expression) -> Expression {
        let checked = match self.descend(syntax.span) {
            true => self.expression_inside(syntax),
            false => Expression::error(&self.unit.types, syntax.span),
        };
        self.ascend();
        checked
    }

    fn expression_inside(&mut self, syntax: &syntax::Expression) -> Expression {
        let span = syntax.span;
        match &syntax.kind {
            Syntax::Error => Expression::error(&self.unit.types, span),
            Syntax::Identifier(name) => self.identifier(name, span),
            Syntax::Integer(literal) => self.integer_literal(literal, span),
            Syntax::Float(literal) => self.float_literal(literal, span),
            Syntax::Character(literal) => self.character_literal(literal, span),
            Syntax::String(literal) => self.string_literal(literal, span),
            Syntax::Unary { operator, operand } => self.unary(*operator, operand, span),
            Syntax::Binary { operator, left, right } => self.binary(*operator, left, right, span),
            Syntax::Assign {
                operator,
                target,
                value,
            } => self.assignment(*operator, target, value, span),
            Syntax::Conditional {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, then.as_deref(), otherwise, span),
            Syntax::Comma(left, right) => self.comma(left, right, span),
            Syntax::Cast { type_name, operand } => self.cast(type_name, operand, span),
            Syntax::Call { function, arguments } => self.call(function, arguments, span),
            Syntax::Index { array, index } => self.index(array, index, span),
            Syntax::Member {
                operand,
                is_arrow,
                name,
            } => self.member(operand, *is_arrow, name, span),
            Syntax::CompoundLiteral { type_name, initialiser } => self.compound_literal(type_name, initialiser, span),
            Syntax::Statements(block) => self.statements(block, span),
            Syntax::LabelAddress(name) => {
                let message = format!(
                    "the address of the label `{}`: labels as values are not supported",
                    name.text
                );
                self.refused(Diagnostic::error(span, message).label("where a jump to it leads is not known"))
            }
            _ => self.type_expression(syntax),
        }
    }

    /// Expressions on types.
    fn type_expression(&mut self, syntax: &syntax::Expression) -> Expression {
        let span = syntax.span;
        match &syntax.kind {
            Syntax::SizeofExpression(operand) => {
                let checked = self.expression(operand);
                if self.is_bit_field(&checked) {
                    let message = "`sizeof` of a bit-field";
                    return self.wrong(Diagnostic::error(operand.span, message).label("has no bytes of its own"));
                }
                self.size_of(checked.expression_type, span)
            }
            Syntax::SizeofType(name) => {
                let named = self.type_name(name);
                self.size_of(named, span)
            }
            Syntax::AlignofExpression(operand) => {
                let checked = self.expression(operand);
                self.align_of_expression(&checked, span)
            }
            Syntax::AlignofType(name) => {
                let named = self.type_name(name);
                self.align_of(named, span)
            }
            Syntax::Offsetof { type_name, designators } => self.offset_of(type_name, designators, span),
            Syntax::VariadicArgument { list, type_name } => self.variadic_argument(list, type_name, span),
            Syntax::TypesCompatible(left, right) => {
                let left = self.type_name(left);
                let right = self.type_name(right);
                let holds = self.unit.types.is_compatible_unqualified(left, right);
                self.int_constant(i128::from(holds), span)
            }
            Syntax::Choose {
                condition,
                then,
                otherwise,
            } => match self.constant_expression(condition, "the first argument of `__builtin_choose_expr`") {
                None => Expression::error(&self.unit.types, span),
                Some(0) => self.expression(otherwise),
                Some(_) => self.expression(then),
            },
            Syntax::Generic { control, choices } => self.generic(control, choices, span),
            _ => Expression::error(&self.unit.types, span),
        }
    }

    pub(super) fn int_constant(&mut self, value: i128, span: Span) -> Expression {
        let int = self.unit.types.int();
        Expression::new(ExpressionKind::Integer(value), int, span)
    }

    /// C11 6.5.1.
    fn identifier(&mut self, name: &str, span: Span) -> Expression {
        match self.scopes.find(name) {
            Some((Entity::Variable(variable), _)) => {
                self.unit[variable].is_used = true;
                let declared = self.unit[variable].variable_type;
                Expression::new(ExpressionKind::Variable(variable), declared, span)
            }
            Some((Entity::Function(function), _)) => {
                self.unit[function].is_used = true;
                let declared = self.unit[function].function_type;
                Expression::new(ExpressionKind::Function(function), declared, span)
            }
            Some((Entity::Enumerator { value, enumerator_type }, _)) => {
                Expression::new(ExpressionKind::Integer(value), enumerator_type, span)
            }
            Some((Entity::Typedef(_), at)) => {
                let message = format!("`{name}` is a type, not a value");
                self.wrong(
                    Diagnostic::error(span, message)
                        .label("a type")
                        .related(at, "declared here"),
                )
            }
            Some((Entity::Error, _)) => Expression::error(&self.unit.types, span),
            None => self.unknown_identifier(name, span),
        }
    }

    fn unknown_identifier(&mut self, name: &str, span: Span) -> Expression {
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
            && let Some(function) = &self.function
        {
            let units: Vec<u32> = function.name.bytes().map(u32::from).collect();
            let literal = StringLiteral {
                units,
                encoding: Encoding::Plain,
            };
            let mut found = self.string_literal(&literal, span);
            found.expression_type = found.expression_type.constant();
            return found;
        }
        let mut error = Diagnostic::error(span, format!("`{name}` is not declared")).label("not known here");
        if let Some(near) = self.scopes.suggestion(name) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        let result = self.wrong(error);
        // Reported once for each function.
        self.scopes.declare(name, Entity::Error, span);
        result
    }

    /// The first type in the list of C11 6.4.4.1p5 that fits the value.
    fn integer_literal(&mut self, literal: &IntegerLiteral, span: Span) -> Expression {
        use IntegerKind::{Int, Long, LongLong, UnsignedInt, UnsignedLong, UnsignedLongLong};
        let signed: &[IntegerKind] = match literal.longs {
            0 => &[Int, Long, LongLong],
            1 => &[Long, LongLong],
            _ => &[LongLong],
        };
        let model = self.unit.types.data_model;
        let value = i128::try_from(literal.value).unwrap_or(i128::MAX);
        for kind in signed {
            if !literal.is_unsigned && kind.integer(model).contains(value) {
                let literal_type = self.unit.types.integer(*kind);
                return Expression::new(ExpressionKind::Integer(value), literal_type, span);
            }
            let unsigned = kind.to_unsigned();
            let may_be_unsigned = literal.is_unsigned || !literal.is_decimal;
            if may_be_unsigned && unsigned.integer(model).contains(value) {
                let literal_type = self.unit.types.integer(unsigned);
                return Expression::new(ExpressionKind::Integer(value), literal_type, span);
            }
        }
        debug_assert!(matches!(signed[0], Int | Long | LongLong | UnsignedInt | UnsignedLong));
        let wide = UnsignedLongLong.integer(model);
        // gcc warns that the literal is so large that it is unsigned.
        if wide.contains(value) {
            self.report(Diagnostic::warning(
                span,
                "this number is unsigned: no signed type has it",
            ));
        } else {
            self.report(Diagnostic::error(span, "this number fits no integer type").label("too large"));
        }
        let literal_type = self.unit.types.integer(UnsignedLongLong);
        Expression::new(ExpressionKind::Integer(wide.wrap(value)), literal_type, span)
    }

    fn float_literal(&mut self, literal: &FloatLiteral, span: Span) -> Expression {
        let kind = match literal.suffix {
            FloatSuffix::None => FloatKind::Double,
            FloatSuffix::Single => FloatKind::Single,
            FloatSuffix::Long => FloatKind::Long,
        };
        let literal_type = self.unit.types.of(Kind::Float(kind));
        Expression::new(
            ExpressionKind::Float(constant::round(kind, literal.value)),
            literal_type,
            span,
        )
    }

    /// C11 6.4.4.4p10 and p11: a plain one is an `int`.
    fn character_literal(&mut self, literal: &CharacterLiteral, span: Span) -> Expression {
        let literal_type = self.character_type(literal.encoding, true);
        let value = i128::from(literal.value);
        let value = self
            .unit
            .types
            .integer_of(literal_type)
            .map_or(value, |integer| integer.wrap(value));
        Expression::new(ExpressionKind::Integer(value), literal_type, span)
    }

    fn character_type(&mut self, encoding: Encoding, is_single: bool) -> Type {
        match encoding {
            Encoding::Plain if is_single => self.unit.types.int(),
            Encoding::Plain => self.unit.types.char(),
            Encoding::Wide => self.unit.types.wide_character_type(),
            Encoding::Sixteen => self.unit.types.integer(IntegerKind::UnsignedShort),
            Encoding::ThirtyTwo => self.unit.types.integer(IntegerKind::UnsignedInt),
        }
    }

    /// A constant array: C11 6.4.5p6 and p7.
    pub(super) fn string_literal(&mut self, literal: &StringLiteral, span: Span) -> Expression {
        let element = self.character_type(literal.encoding, false);
        let mut units = literal.units.clone();
        units.push(0);
        let length = Length::Known(units.len() as u64);
        let literal_type = self.unit.types.array_of(element, length);
        let id = self.literal(Literal {
            units,
            unit_bytes: unit_bytes(literal.encoding),
            literal_type,
            span,
        });
        Expression::new(ExpressionKind::Literal(id), literal_type, span)
    }

    fn comma(&mut self, left: &syntax::Expression, right: &syntax::Expression, span: Span) -> Expression {
        let left = self.expression(left);
        let left = self.unused_value(left);
        let right = self.expression(right);
        let right = self.value(right);
        let own = right.expression_type;
        Expression::new(ExpressionKind::Comma(Box::new(left), Box::new(right)), own, span)
    }

    /// C11 6.5.2.3.
    fn member(&mut self, operand: &syntax::Expression, is_arrow: bool, name: &Name, span: Span) -> Expression {
        let checked = self.expression(operand);
        if self.is_error(&checked) {
            return Expression::error(&self.unit.types, span);
        }
        let whole = match is_arrow {
            false => checked,
            true => {
                let pointer = self.value(checked);
                match self.unit.types.target_of(pointer.expression_type) {
                    Some(target) => {
                        let at = pointer.span;
                        Expression::new(ExpressionKind::Dereference(Box::new(pointer)), target, at)
                    }
                    None => return self.no_record(&pointer, is_arrow, name),
                }
            }
        };
        let Some(record) = self.unit.types.record_of(whole.expression_type) else {
            return self.no_record(&whole, is_arrow, name);
        };
        if self.unit.types.record(record).fields.is_none() {
            let type_name = self.unit.types.record_name(record);
            let message = format!("the fields of `{type_name}` are not known");
            let at = self.unit.types.record(record).span;
            let error = Diagnostic::error(name.span, message).label("incomplete type");
            return self.wrong(error.related(at, "only declared here"));
        }
        match self.find_field(record, &name.text) {
            Some(path) => self.select(whole, &path, span),
            None => self.no_field(record, name),
        }
    }

    /// Selects nested fields, through anonymous records.
    pub(super) fn select(&mut self, whole: Expression, path: &[usize], span: Span) -> Expression {
        let mut part = whole;
        for field in path {
            let whole_type = part.expression_type;
            let record = self.unit.types.record_of(whole_type);
            let found = record
                .and_then(|record| self.unit.types.fields(record).get(*field))
                .cloned();
            let Some(found) = found else {
                return Expression::error(&self.unit.types, span);
            };
            // C11 6.5.2.3p3: with the qualifiers of the whole.
            let own = self
                .bit_type(found.field_type, found.bits.map(|bits| bits.width))
                .qualified_as(found.field_type);
            let own = own.qualified_as(whole_type);
            let kind = ExpressionKind::Member {
                operand: Box::new(part),
                field: *field,
            };
            part = Expression::new(kind, own, span);
        }
        part
    }

    /// gcc gives a wide bit-field an integer type of its width.
    pub(super) fn bit_type(&mut self, declared: Type, width: Option<u32>) -> Type {
        let (Some(width), Some(integer)) = (width, self.unit.types.integer_of(declared)) else {
            return declared;
        };
        if self.unit.types.is_bool(declared) || width == integer.bits {
            return declared;
        }
        self.unit.types.of(Kind::Bits {
            width,
            is_signed: integer.is_signed,
        })
    }

    fn no_record(&mut self, operand: &Expression, is_arrow: bool, name: &Name) -> Expression {
        if self.is_error(operand) {
            return Expression::error(&self.unit.types, operand.span);
        }
        let own = operand.expression_type;
        let type_name = self.unit.types.name(own);
        let target = self
            .unit
            .types
            .target_of(own)
            .and_then(|target| self.unit.types.record_of(target));
        let message = match is_arrow {
            true => format!("`->{}` of what is no pointer to a record", name.text),
            false => format!("`.{}` of what is no record", name.text),
        };
        let mut error = Diagnostic::error(operand.span, message).label(format!("of type `{type_name}`"));
        if !is_arrow && target.is_some() {
            error = error.help(format!("a pointer: write `->{}`", name.text));
        } else if is_arrow && self.unit.types.record_of(own).is_some() {
            error = error.help(format!("a record: write `.{}`", name.text));
        }
        self.wrong(error)
    }

    fn no_field(&mut self, record: crate::types::RecordId, name: &Name) -> Expression {
        let type_name = self.unit.types.record_name(record);
        let mut error = Diagnostic::error(name.span, format!("`{type_name}` has no field `{}`", name.text))
            .label("no such field")
            .related(self.unit.types.record(record).span, "declared here");
        let names = self
            .unit
            .types
            .fields(record)
            .iter()
            .filter_map(|field| field.name.as_deref());
        if let Some(near) = system::suggest::nearest(&name.text, names) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        self.wrong(error)
    }

    /// C11 6.5.3.4. In GNU C, the size of functions and void is 1.
    fn size_of(&mut self, of: Type, span: Span) -> Expression {
        let size_type = self.unit.types.size_type();
        if self.unit.types.is_error(of) {
            return Expression::error(&self.unit.types, span);
        }
        if self.unit.types.is_variable_array(of) {
            let size = Expression::new(ExpressionKind::VariableSize(of), size_type, span);
            return self.after_lengths(size, span);
        }
        let size = match self.unit.types.kind(of) {
            Kind::Void | Kind::Function(_) => Some(1),
            _ => self.unit.types.size(of),
        };
        match size {
            Some(size) => Expression::new(ExpressionKind::Integer(i128::from(size)), size_type, span),
            None => {
                let message = format!("the size of `{}` is not known", self.unit.types.name(of));
                self.wrong(Diagnostic::error(span, message).label("incomplete type"))
            }
        }
    }

    /// Evaluates the array lengths in the type of an expression before it.
    pub(super) fn after_lengths(&mut self, expression: Expression, span: Span) -> Expression {
        let statements = self.take_lengths(span);
        if statements.is_empty() {
            return expression;
        }
        let own = expression.expression_type;
        let block = Block {
            variables: Vec::new(),
            statements,
            span,
        };
        let result = Some(Box::new(expression));
        Expression::new(ExpressionKind::Statements { block, result }, own, span)
    }

    /// GNU C: the alignment of a variable includes its attributes.
    fn align_of_expression(&mut self, of: &Expression, span: Span) -> Expression {
        let own = self.align_of(of.expression_type, span);
        match &of.kind {
            ExpressionKind::Member { .. } => {
                let message = "the alignment of a member is not supported";
                let error = Diagnostic::error(span, message).label("may be another one than that of its type");
                self.wrong(error.help("`_Alignof(type)` is the alignment of a type"))
            }
            ExpressionKind::Variable(variable) => {
                let declared = self.alignments.get(variable).copied().map(i128::from);
                match (own.kind, declared) {
                    (ExpressionKind::Integer(_), Some(declared)) => {
                        let kind = ExpressionKind::Integer(declared);
                        Expression { kind, ..own }
                    }
                    (kind, _) => Expression { kind, ..own },
                }
            }
            _ => own,
        }
    }

    fn align_of(&mut self, of: Type, span: Span) -> Expression {
        let size_type = self.unit.types.size_type();
        if self.unit.types.is_error(of) {
            return Expression::error(&self.unit.types, span);
        }
        let alignment = self.unit.types.alignment(of);
        Expression::new(ExpressionKind::Integer(i128::from(alignment)), size_type, span)
    }

    fn offset_of(&mut self, type_name: &TypeName, designators: &[syntax::Designator], span: Span) -> Expression {
        let whole = self.type_name(type_name);
        if self.unit.types.is_error(whole) {
            return Expression::error(&self.unit.types, span);
        }
        // As if there were such an object at address zero.
        let size_type = self.unit.types.size_type();
        let pointer = self.unit.types.pointer_to(whole);
        let zero = Expression::new(ExpressionKind::Integer(0), size_type, span);
        let null = Expression::new(ExpressionKind::Convert(Box::new(zero)), pointer, span);
        let mut part = Expression::new(ExpressionKind::Dereference(Box::new(null)), whole, span);
        for designator in designators {
            part = match designator {
                syntax::Designator::Field(name) => {
                    let Some(record) = self.unit.types.record_of(part.expression_type) else {
                        return self.no_record(&part, false, name);
                    };
                    match self.find_field(record, &name.text) {
                        Some(path) => self.select(part, &path, span),
                        None => return self.no_field(record, name),
                    }
                }
                syntax::Designator::Index(index) | syntax::Designator::Range(index, _) => {
                    let index = self.expression(index);
                    self.indexed(part, index, span)
                }
            };
        }
        if self.is_bit_field(&part) {
            let message = "`offsetof` of a bit-field";
            return self.wrong(Diagnostic::error(span, message).label("may begin between bytes"));
        }
        let pointer = self.unit.types.pointer_to(part.expression_type);
        let address = Expression::new(ExpressionKind::Address(Box::new(part)), pointer, span);
        let offset = Expression::new(ExpressionKind::Convert(Box::new(address)), size_type, span);
        match constant::integer(&self.unit, &offset) {
            Some(value) => Expression::new(ExpressionKind::Integer(value), size_type, span),
            None => offset,
        }
    }

    /// C11 6.5.1.1: the first choice whose type is compatible with that of the value.
    fn generic(
        &mut self,
        control: &syntax::Expression,
        choices: &[(Option<TypeName>, syntax::Expression)],
        span: Span,
    ) -> Expression {
        let control = self.expression(control);
        let control = self.value(control);
        if self.is_error(&control) {
            return control;
        }
        let mut chosen = None;
        for (name, choice) in choices {
            match name {
                Some(name) => {
                    let named = self.type_name(name);
                    if self.unit.types.is_compatible(named, control.expression_type) {
                        chosen = Some(choice);
                        break;
                    }
                }
                None => chosen = chosen.or(Some(choice)),
            }
        }
        match chosen {
            Some(choice) => self.expression(choice),
            None => {
                let message = "no choice of `_Generic` fits";
                let label = format!("the value has type `{}`", self.unit.types.name(control.expression_type));
                self.wrong(Diagnostic::error(span, message).label(label))
            }
        }
    }

    /// `({ ... })`: the value of its last statement, if that is an expression.
    fn statements(&mut self, block: &syntax::Block, span: Span) -> Expression {
        if self.function.is_none() {
            let message = "statements in an expression outside of a function";
            return self.wrong(Diagnostic::error(span, message).label("nothing is executed here"));
        }
        let void = self.unit.types.void();
        let mut result = None;
        let scoped = self.scoped(block.span, |checker, inner| {
            let (last, others) = match block.items.split_last() {
                Some((syntax::BlockItem::Statement(last), others)) => (Some(last), others),
                _ => (None, block.items.as_slice()),
            };
            checker.block_items(others, inner);
            let mut last = last;
            // Labels before the last expression do not hide its value.
            while let Some(syntax::Statement {
                kind: syntax::StatementKind::Labelled { label, statement },
                ..
            }) = last
            {
                if let Some(id) = checker.label(label, true) {
                    let kind = crate::tree::StatementKind::Label(id);
                    inner.push(crate::tree::Statement { kind, span: label.span });
                }
                last = Some(statement);
            }
            match last.map(|last| (&last.kind, last)) {
                Some((syntax::StatementKind::Expression(expression), _)) => {
                    let checked = checker.expression(expression);
                    result = Some(checker.unused_value(checked));
                }
                Some((_, other)) => checker.statement(other, inner),
                None => {}
            }
        });
        let crate::tree::StatementKind::Block(block) = scoped.kind else {
            return Expression::error(&self.unit.types, span);
        };
        let own = result.as_ref().map_or(void, |result| result.expression_type);
        let result = result.map(Box::new);
        Expression::new(ExpressionKind::Statements { block, result }, own, span)
    }

    /// `__extension__`, and the parts of complex numbers.
    pub(super) fn transparent(&mut self, operator: Unary, operand: &syntax::Expression, span: Span) -> Expression {
        match operator {
            Unary::Extension => self.expression(operand),
            _ => {
                let message = "complex numbers are not supported";
                self.refused(Diagnostic::error(span, message).label("a part of a complex number"))
            }
        }
    }

    /// The record of `__builtin_va_list` on x86-64, or the pointer on x86.
    pub(super) fn variadic_list_type(&mut self) -> Type {
        if self.unit.types.data_model == DataModel::Ilp32 {
            let char = self.unit.types.char();
            return self.unit.types.pointer_to(char);
        }
        let record = self.variadic_record();
        let record = self.unit.types.of(Kind::Record(record));
        self.unit.types.array_of(record, Length::Known(1))
    }
}
