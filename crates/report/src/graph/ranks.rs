//! Places for boxes, for the lines between them and for the labels of these, so that nothing covers anything else.
//!
//! After K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system structures" (IEEE
//! Transactions on Systems, Man, and Cybernetics 11(2), 1981), with labels as items of their own. Boxes stand in even
//! ranks by their distance from the starts, labels in the odd ranks between them, and a line that passes a rank has a
//! place there. The order within ranks is by the means of neighbours; places then are as near to these as the order
//! and the widths allow (isotonic regression by pooling adjacent violators).

/// What has a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A line from a box to another, with the size of its label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Size,
}

/// The items are first the boxes, in their order.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    pub(super) items: Vec<Item>,
    /// For each line its items, from box to box; the second one is its label.
    pub(super) paths: Vec<Vec<usize>>,
    pub(super) bands: Vec<Band>,
    pub(super) width: f64,
    pub(super) height: f64,
    order: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) rank: usize,
    pub(super) size: Size,
    /// The middle.
    pub(super) x: f64,
    pub(super) top: f64,
}

/// From where to where a rank reaches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Band {
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Between items of a rank, and between ranks.
const BESIDE: f64 = 16.0;
const BETWEEN: f64 = 20.0;
/// The place of a line that passes.
const BEND: Size = Size {
    width: 2.0,
    height: 1.0,
};
const SWEEPS: usize = 24;

/// Places boxes of these sizes, in these rows.
pub(super) fn places(boxes: &[Size], rows: &[usize], lines: &[Line]) -> Ranks {
    let mut ranks = Ranks::default();
    for (size, row) in boxes.iter().zip(rows) {
        ranks.add(2 * row, *size);
    }
    for line in lines {
        ranks.connect(line);
    }
    ranks.sort();
    ranks.place();
    ranks
}

impl Ranks {
    fn add(&mut self, rank: usize, size: Size) -> usize {
        let number = self.items.len();
        self.items.push(Item {
            rank,
            size,
            x: 0.0,
            top: 0.0,
        });
        if self.order.len() <= rank {
            self.order.resize(rank + 1, Vec::new());
        }
        self.order[rank].push(number);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        number
    }

    fn connect(&mut self, line: &Line) {
        let (from, to) = (self.items[line.from].rank, self.items[line.to].rank);
        let mut path = vec![line.from];
        let passed: Vec<usize> = match from.cmp(&to) {
            std::cmp::Ordering::Less => (from + 1..to).collect(),
            std::cmp::Ordering::Equal => vec![from + 1],
            std::cmp::Ordering::Greater => (to + 1..from).rev().collect(),
        };
        for (number, rank) in passed.into_iter().enumerate() {
            path.push(self.add(rank, if number == 0 { line.label } else { BEND }));
        }
        path.push(line.to);
        for pair in path.windows(2) {
            let (upper, lower) = match self.items[pair[0]].rank < self.items[pair[1]].rank {
                true => (pair[0], pair[1]),
                false => (pair[1], pair[0]),
            };
            self.below[upper].push(lower);
            self.above[lower].push(upper);
        }
        self.paths.push(path);
    }

    /// Orders each rank by the means of the neighbours, downwards and upwards in turn, and keeps the best.
    fn sort(&mut self) {
        let mut best = (self.crossings(), self.order.clone());
        for sweep in 0..SWEEPS {
            let downwards = sweep % 2 == 0;
            let ranks: Vec<usize> = match downwards {
                true => (0..self.order.len()).collect(),
                false => (0..self.order.len()).rev().collect(),
            };
            for rank in ranks {
                let position = self.positions();
                let near = if downwards { &self.above } else { &self.below };
                let mean = |item: &usize| match near[*item].len() {
                    0 => position[*item],
                    count => near[*item].iter().map(|other| position[*other]).sum::<f64>() / count as f64,
                };
                let mut keyed: Vec<(f64, usize)> = self.order[rank].iter().map(|item| (mean(item), *item)).collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.order[rank] = keyed.into_iter().map(|(_, item)| item).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.order.clone());
            }
        }
        self.order = best.1;
    }

    /// Where each item stands in its rank, between 0 and 1.
    fn positions(&self) -> Vec<f64> {
        let mut positions = vec![0.0; self.items.len()];
        for rank in &self.order {
            for (position, item) in rank.iter().enumerate() {
                positions[*item] = (position as f64 + 0.5) / rank.len() as f64;
            }
        }
        positions
    }

    fn crossings(&self) -> usize {
        let position = self.positions();
        let mut crossings = 0;
        for rank in &self.order {
            let links = rank
                .iter()
                .flat_map(|item| self.below[*item].iter().map(|other| (*item, *other)));
            let links: Vec<(f64, f64)> = links.map(|(a, b)| (position[a], position[b])).collect();
            for (number, one) in links.iter().enumerate() {
                let crosses = |other: &&(f64, f64)| (one.0 - other.0) * (one.1 - other.1) < 0.0;
                crossings += links[number + 1..].iter().filter(crosses).count();
            }
        }
        crossings
    }

    fn place(&mut self) {
        let mut top = 0.0;
        for rank in &self.order {
            let height = rank
                .iter()
                .map(|item| self.items[*item].size.height)
                .fold(0.0, f64::max);
            let bottom = top + height;
            for item in rank {
                // Labels are in the middle of their rank, boxes hang from its top.
                let slack = if self.items[*item].rank % 2 == 1 {
                    height - self.items[*item].size.height
                } else {
                    0.0
                };
                self.items[*item].top = top + slack / 2.0;
            }
            self.bands.push(Band { top, bottom });
            top = bottom + BETWEEN;
        }
        self.height = (top - BETWEEN).max(0.0);
        let total = |rank: &Vec<usize>| {
            let widths = rank.iter().map(|item| self.items[*item].size.width + BESIDE);
            widths.sum::<f64>() - BESIDE
        };
        self.width = self.order.iter().map(total).fold(0.0, f64::max);
        for number in 0..self.order.len() {
            self.settle(number, |ranks, item| ranks.items[item].x);
        }
        for sweep in 0..SWEEPS {
            let last = self.order.len();
            for step in 0..last {
                let rank = if sweep % 2 == 0 { step } else { last - 1 - step };
                self.settle(rank, Ranks::wish);
            }
        }
    }

    /// Where an item would like to be: in the middle of its neighbours.
    fn wish(&self, item: usize) -> f64 {
        let near = || self.above[item].iter().chain(&self.below[item]);
        match near().count() {
            0 => self.width / 2.0,
            count => near().map(|other| self.items[*other].x).sum::<f64>() / count as f64,
        }
    }

    /// Brings the items of a rank as near to their wishes as their order and widths allow.
    fn settle(&mut self, rank: usize, wish: impl Fn(&Ranks, usize) -> f64) {
        let items = self.order[rank].clone();
        // How far to the right each must at least be of where the first one is.
        let mut offsets = Vec::new();
        let mut offset = 0.0;
        for item in &items {
            let half = self.items[*item].size.width / 2.0;
            offset += half;
            offsets.push(offset);
            offset += half + BESIDE;
        }
        let room = (self.width - (offset - BESIDE)).max(0.0);
        // Groups of items that stand side by side: the mean of their wishes, and how many they are.
        let mut groups: Vec<(f64, usize)> = Vec::new();
        for (item, offset) in items.iter().zip(&offsets) {
            groups.push((wish(self, *item) - offset, 1));
            while let [.., (a, m), (b, n)] = groups[..]
                && a > b
            {
                groups.truncate(groups.len() - 2);
                groups.push(((a * m as f64 + b * n as f64) / (m + n) as f64, m + n));
            }
        }
        let places = groups
            .iter()
            .flat_map(|(place, count)| std::iter::repeat_n(*place, *count));
        for ((item, offset), place) in items.iter().zip(&offsets).zip(places) {
            self.items[*item].x = place.clamp(0.0, room) + offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No two items touch, for any connections.
    #[test]
    fn nothing_covers_anything() {
        let mut random = 12345u64;
        let mut next = |limit: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % limit
        };
        for _ in 0..50 {
            let count = 1 + next(9) as usize;
            let mut size = || Size {
                width: 20.0 + next(100) as f64,
                height: 10.0 + next(50) as f64,
            };
            let boxes: Vec<Size> = (0..count).map(|_| size()).collect();
            let label = size();
            let rows: Vec<usize> = (0..count).map(|_| next(4) as usize).collect();
            let lines: Vec<Line> = (0..next(20))
                .map(|_| (next(count as u64) as usize, next(count as u64) as usize))
                .filter(|(from, to)| from != to)
                .map(|(from, to)| Line { from, to, label })
                .collect();
            let ranks = places(&boxes, &rows, &lines);
            for (number, one) in ranks.items.iter().enumerate() {
                let half = one.size.width / 2.0;
                assert!(one.x - half > -0.01 && one.x + half < ranks.width + 0.01, "{one:?}");
                assert!(
                    one.top > -0.01 && one.top + one.size.height < ranks.height + 0.01,
                    "{one:?}"
                );
                for other in &ranks.items[number + 1..] {
                    let apart = (one.x - other.x).abs() + 0.01 > (one.size.width + other.size.width) / 2.0;
                    let below = one.top + one.size.height < other.top || other.top + other.size.height < one.top;
                    assert!(apart || below, "{one:?} and {other:?}");
                }
            }
        }
    }

    #[test]
    fn neighbours_are_near() {
        let size = Size {
            width: 10.0,
            height: 10.0,
        };
        let line = |from, to| Line { from, to, label: size };
        let ranks = places(&[size; 3], &[0, 1, 1], &[line(0, 1), line(0, 2), line(2, 0)]);
        let x = |item: usize| ranks.items[item].x;
        assert!(((x(1) + x(2)) / 2.0 - x(0)).abs() < 20.0, "{ranks:?}");
        assert_eq!(ranks.paths[2].len(), 3);
    }
}
