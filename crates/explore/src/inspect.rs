//! Static inspection of code: the slots it reads and writes, and its size.

use crate::code::{Argument, Cell, Computed, Expression, Origin, Output, Place, Range, Statement};
use system::instance;

/// A possible effect of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// Reads or writes some of the slots from this address.
    Read(u32, u32),
    Write(u32, u32),
    /// Accesses frames of called functions: never the state.
    Framed,
    /// Reads through an address, or calls.
    ReadAnywhere,
    /// Writes through an address, or calls.
    WriteAnywhere,
    Choose,
    /// Fails or blocks other than by a test of values.
    Control,
}

/// Reports everything that an expression may do.
pub(crate) fn expression(code: &Expression, tell: &mut dyn FnMut(Use)) {
    match code {
        Expression::Constant(_) | Expression::Fail(_) => {}
        Expression::Slot(slot, _)
        | Expression::RawSlot(slot)
        | Expression::SlotEquals { slot, .. }
        | Expression::SlotDiffers { slot, .. }
        | Expression::SlotIn { slot, .. } => tell(Use::Read(*slot, 1)),
        Expression::Load(place, _) | Expression::LoadRaw(place) => read(place, 1, tell),
        Expression::IsUndefined(place, length) => read(place, *length, tell),
        Expression::Address(place) => {
            // An address that escapes may be used for anything, but only through references or calls, which are
            // reported.
            subscripts(place, tell);
        }
        Expression::Not(a)
        | Expression::Unary(_, a, _)
        | Expression::Head(a, _)
        | Expression::Tail(a, _)
        | Expression::Length(a) => expression(a, tell),
        Expression::Binary(_, parts, _) | Expression::Append(parts, _) => {
            expression(&parts.0, tell);
            expression(&parts.1, tell);
        }
        Expression::And(parts) | Expression::Or(parts) => parts.iter().for_each(|part| expression(part, tell)),
        Expression::If(parts) => [&parts.0, &parts.1, &parts.2]
            .into_iter()
            .for_each(|part| expression(part, tell)),
        Expression::Fold(fold) => {
            write_cell(fold.slot, tell);
            range(&fold.range, tell);
            expression(&fold.body, tell);
        }
        Expression::SameBlock(places, length) => {
            read(&places.0, *length, tell);
            read(&places.1, *length, tell);
        }
        Expression::Call(call) => arguments(&call.arguments, tell),
        Expression::Inline(inline) => statements(&inline.body, tell),
        Expression::Sequence(parts) => {
            statements(&parts.0, tell);
            expression(&parts.1, tell);
        }
        Expression::InRange(check) => expression(&check.value, tell),
    }
}

pub(crate) fn statements(code: &[Statement], tell: &mut dyn FnMut(Use)) {
    code.iter().for_each(|code| statement(code, tell));
}

fn statement(code: &Statement, tell: &mut dyn FnMut(Use)) {
    match code {
        Statement::If(parts) => {
            expression(&parts.0, tell);
            statements(&parts.1, tell);
            statements(&parts.2, tell);
        }
        Statement::Switch(switch) => {
            match switch.slot {
                Cell::Fixed(address) => tell(Use::Read(address, 1)),
                Cell::Framed(_) => tell(Use::Framed),
            }
            switch.branches.iter().for_each(|branch| statements(branch, tell));
        }
        Statement::For(round) => {
            write_cell(round.slot, tell);
            range(&round.range, tell);
            statements(&round.body, tell);
        }
        Statement::While(parts) => {
            expression(&parts.0, tell);
            statements(&parts.1, tell);
        }
        Statement::Call(call) => arguments(&call.arguments, tell),
        Statement::Block(body) => statements(body, tell),
        Statement::Return(None) | Statement::Fail(_) => tell(Use::Control),
        Statement::Return(Some(value)) | Statement::Evaluate(value) => expression(value, tell),
        Statement::Assert(parts) => {
            tell(Use::Control);
            expression(&parts.0, tell);
        }
        Statement::Assume(condition) | Statement::Prune(condition) => {
            tell(Use::Control);
            expression(condition, tell);
        }
        Statement::Put(outputs) => outputs.iter().for_each(|output| match output {
            Output::Text(_) => {}
            Output::Value(value, _) => expression(value, tell),
            Output::Block { place, types, .. } => read(place, length(types.len()), tell),
        }),
        store => stores(store, tell),
    }
}

/// Statements that only store.
fn stores(code: &Statement, tell: &mut dyn FnMut(Use)) {
    match code {
        Statement::SetConstant { slot, .. } => tell(Use::Write(*slot, 1)),
        Statement::SetSlot { slot, value } => {
            expression(value, tell);
            tell(Use::Write(*slot, 1));
        }
        Statement::AssignSlot { slot, check } => {
            expression(&check.value, tell);
            tell(Use::Write(*slot, 1));
        }
        Statement::Store(parts) => {
            expression(&parts.1, tell);
            write(&parts.0, 1, tell);
        }
        Statement::Assign(parts) => {
            expression(&parts.1.value, tell);
            write(&parts.0, 1, tell);
        }
        Statement::CopyFixed { to, from, length } => {
            tell(Use::Read(*from, *length));
            tell(Use::Write(*to, *length));
        }
        Statement::Copy(places, length) => {
            read(&places.1, *length, tell);
            write(&places.0, *length, tell);
        }
        Statement::UndefineFixed { slot, length } => tell(Use::Write(*slot, *length)),
        Statement::Undefine(place, length) => write(place, *length, tell),
        Statement::Fill(parts) => write(&parts.0, length(parts.1.len()), tell),
        Statement::Choose(choice) => {
            tell(Use::Choose);
            write(&choice.place, 1, tell);
        }
        Statement::MultisetAdd(add) => {
            read(&add.from, add.stride, tell);
            region(&add.place, add.capacity, add.stride, tell);
        }
        Statement::MultisetRemove(remove) => {
            expression(&remove.index, tell);
            region(&remove.place, remove.capacity, remove.stride, tell);
        }
        Statement::MultisetRemoveIf(remove) => {
            write_cell(remove.slot, tell);
            expression(&remove.condition, tell);
            region(&remove.place, remove.capacity, remove.stride, tell);
        }
        Statement::If(_)
        | Statement::Switch(_)
        | Statement::For(_)
        | Statement::While(_)
        | Statement::Call(_)
        | Statement::Block(_)
        | Statement::Return(_)
        | Statement::Fail(_)
        | Statement::Evaluate(_)
        | Statement::Assert(_)
        | Statement::Assume(_)
        | Statement::Prune(_)
        | Statement::Put(_) => {}
    }
}

fn range(range: &Range, tell: &mut dyn FnMut(Use)) {
    if range.windowed {
        tell(Use::Control);
    }
    [&range.low, &range.high, &range.step]
        .into_iter()
        .for_each(|part| expression(part, tell));
}

fn arguments(arguments: &[Argument], tell: &mut dyn FnMut(Use)) {
    for argument in arguments {
        match argument {
            Argument::Value(value) => expression(value, tell),
            Argument::Block(place, length) => read(place, *length, tell),
        }
    }
    [Use::ReadAnywhere, Use::WriteAnywhere, Use::Choose, Use::Control]
        .into_iter()
        .for_each(tell);
}

/// A multiset, any slot of which may be read and written.
fn region(place: &Place, capacity: u32, stride: u32, tell: &mut dyn FnMut(Use)) {
    let length = capacity.saturating_mul(stride.saturating_add(1));
    read(place, length, tell);
    write(place, length, tell);
}

fn read(place: &Place, length: u32, tell: &mut dyn FnMut(Use)) {
    subscripts(place, tell);
    match place {
        Place::Fixed(address) => tell(Use::Read(*address, length)),
        Place::Framed(_) => tell(Use::Framed),
        Place::Computed(computed) => match computed.origin {
            Origin::Fixed(address) => tell(Use::Read(address, extent(computed, length))),
            Origin::Framed(_) => tell(Use::Framed),
            Origin::Reference(..) => tell(Use::ReadAnywhere),
        },
    }
}

fn write(place: &Place, length: u32, tell: &mut dyn FnMut(Use)) {
    subscripts(place, tell);
    match place {
        Place::Fixed(address) => tell(Use::Write(*address, length)),
        Place::Framed(_) => tell(Use::Framed),
        Place::Computed(computed) => match computed.origin {
            Origin::Fixed(address) => tell(Use::Write(address, extent(computed, length))),
            Origin::Framed(_) => tell(Use::Framed),
            Origin::Reference(..) => tell(Use::WriteAnywhere),
        },
    }
}

fn write_cell(cell: Cell, tell: &mut dyn FnMut(Use)) {
    match cell {
        Cell::Fixed(address) => tell(Use::Write(address, 1)),
        Cell::Framed(_) => tell(Use::Framed),
    }
}

fn subscripts(place: &Place, tell: &mut dyn FnMut(Use)) {
    let Place::Computed(computed) = place else { return };
    if let Origin::Reference(cell, _) = computed.origin {
        match cell {
            Cell::Fixed(address) => tell(Use::Read(address, 1)),
            Cell::Framed(_) => tell(Use::Framed),
        }
    }
    for subscript in &computed.subscripts {
        if subscript.windowed {
            tell(Use::Control);
        }
        expression(&subscript.index, tell);
    }
}

/// The number of slots from its origin that a place may touch.
fn extent(computed: &Computed, length: u32) -> u32 {
    computed.subscripts.iter().fold(length, |extent, subscript| {
        let width = u32::try_from(subscript.high.saturating_sub(subscript.low)).unwrap_or(0);
        extent.saturating_add(width.saturating_mul(subscript.stride))
    })
}

fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Whether an expression may read this slot of a frame; frames follow the `state` slots of the state.
pub(crate) fn may_read_frame(code: &Expression, slot: u32, state: usize) -> bool {
    let mut found = false;
    expression(code, &mut |usage| match usage {
        Use::Read(start, length) => {
            found |= start as usize >= state && (start..start.saturating_add(length)).contains(&slot);
        }
        Use::ReadAnywhere | Use::Framed => found = true,
        _ => {}
    });
    found
}

/// Removes constant stores to slots from address `dead_from` on that this code does not read: those frames end with the
/// code.
pub(crate) fn drop_dead_stores(code: &mut Vec<Statement>, result: Option<&Expression>, dead_from: usize) {
    let mut reads: Vec<(u32, u32)> = Vec::new();
    let mut anything = false;
    let mut tell = |usage: Use| match usage {
        Use::Read(start, length) if start as usize + length as usize > dead_from => reads.push((start, length)),
        Use::ReadAnywhere | Use::Framed => anything = true,
        _ => {}
    };
    statements(code, &mut tell);
    result.into_iter().for_each(|result| expression(result, &mut tell));
    if anything {
        return;
    }
    let live = |slot: u32, size: u32| {
        (slot as usize) < dead_from
            || reads
                .iter()
                .any(|(start, length)| *start < slot.saturating_add(size) && slot < start.saturating_add(*length))
    };
    retain_live(code, &live);
}

fn retain_live(code: &mut Vec<Statement>, live: &dyn Fn(u32, u32) -> bool) {
    code.retain_mut(|statement| match statement {
        Statement::SetConstant { slot, .. } => live(*slot, 1),
        Statement::SetSlot {
            slot,
            value: Expression::RawSlot(_),
        } => live(*slot, 1),
        Statement::UndefineFixed { slot, length } => live(*slot, *length),
        Statement::CopyFixed { to, length, .. } => live(*to, *length),
        Statement::If(parts) => {
            retain_live(&mut parts.1, live);
            retain_live(&mut parts.2, live);
            true
        }
        Statement::Switch(switch) => {
            switch.branches.iter_mut().for_each(|branch| retain_live(branch, live));
            true
        }
        Statement::For(round) => {
            retain_live(&mut round.body, live);
            true
        }
        Statement::While(parts) => {
            retain_live(&mut parts.1, live);
            true
        }
        Statement::Block(body) => {
            retain_live(body, live);
            true
        }
        _ => true,
    });
}

/// Whether the source of an expression writes nothing, not even to the frame: no statements, calls, loops or escaping
/// addresses.
pub(crate) fn is_pure(source: &instance::Expression) -> bool {
    use instance::Expression as Source;
    let is_place_pure = |place: &instance::Place| place.subscripts.iter().all(|subscript| is_pure(&subscript.index));
    match source {
        Source::Constant(_) | Source::EmptyList => true,
        Source::Load(place) | Source::LoadRaw(place) | Source::IsUndefined(place, _) => is_place_pure(place),
        Source::Unary(_, a)
        | Source::Head(a, _)
        | Source::Tail(a, _)
        | Source::Length(a)
        | Source::InRange { value: a, .. } => is_pure(a),
        Source::Binary(_, a, b, _) | Source::Append(a, b) => is_pure(a) && is_pure(b),
        Source::If(a, b, c) => is_pure(a) && is_pure(b) && is_pure(c),
        Source::SameBlock(a, b, _) => is_place_pure(a) && is_place_pure(b),
        Source::Address(_) | Source::Fold { .. } | Source::Call(..) | Source::Sequence(..) => false,
    }
}

/// The number of nodes of the source of an expression, without called functions.
pub(crate) fn source_size(source: &instance::Expression) -> usize {
    use instance::Expression as Source;
    1 + match source {
        Source::Constant(_) | Source::EmptyList => 0,
        Source::Load(place) | Source::LoadRaw(place) | Source::IsUndefined(place, _) | Source::Address(place) => {
            source_size_of_place(place)
        }
        Source::Unary(_, a)
        | Source::Head(a, _)
        | Source::Tail(a, _)
        | Source::Length(a)
        | Source::InRange { value: a, .. } => source_size(a),
        Source::Binary(_, a, b, _) | Source::Append(a, b) => source_size(a) + source_size(b),
        Source::If(a, b, c) => source_size(a) + source_size(b) + source_size(c),
        Source::Fold { body, .. } => 4 + source_size(body),
        Source::SameBlock(a, b, _) => source_size_of_place(a) + source_size_of_place(b),
        Source::Call(_, arguments, _) => source_size_of_arguments(arguments),
        Source::Sequence(statements, value) => source_size_of_block(statements) + source_size(value),
    }
}

pub(crate) fn source_size_of_block(statements: &[instance::Statement]) -> usize {
    use instance::Statement as Source;
    let size = |statement: &Source| {
        1 + match statement {
            Source::Assign { place, value, .. } | Source::Store { place, value } => {
                source_size_of_place(place) + source_size(value)
            }
            Source::CopyBlock { to, from, .. } => source_size_of_place(to) + source_size_of_place(from),
            Source::If {
                condition,
                then,
                otherwise,
            } => source_size(condition) + source_size_of_block(then) + source_size_of_block(otherwise),
            Source::For { body, .. } => 4 + source_size_of_block(body),
            Source::While { condition, body, .. } => source_size(condition) + source_size_of_block(body),
            Source::Call { arguments, .. } => source_size_of_arguments(arguments),
            Source::Assert { condition, .. }
            | Source::Assume { condition }
            | Source::Prune { condition }
            | Source::Return(Some(condition)) => source_size(condition),
            Source::MultisetRemoveIf { condition, .. } => source_size(condition),
            Source::Undefine { place, .. } | Source::Fill { place, .. } | Source::Choose { place, .. } => {
                source_size_of_place(place)
            }
            Source::MultisetAdd { .. } | Source::MultisetRemove { .. } => 4,
            Source::Return(None) | Source::Error { .. } | Source::Put(_) => 1,
        }
    };
    statements.iter().map(size).sum()
}

fn source_size_of_place(place: &instance::Place) -> usize {
    place
        .subscripts
        .iter()
        .map(|subscript| source_size(&subscript.index))
        .sum()
}

fn source_size_of_arguments(arguments: &[instance::Argument]) -> usize {
    let size = |argument: &instance::Argument| match argument {
        instance::Argument::Value(value) => source_size(value),
        instance::Argument::Block(place, _) => 1 + source_size_of_place(place),
    };
    4 + arguments.iter().map(size).sum::<usize>()
}
