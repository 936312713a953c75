//! The unique table of nodes, with garbage collection, and the cache of operations.

/// A node, or a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) variable: u32,
    pub(super) low: u32,
    pub(super) high: u32,
}

/// Nodes with the same hash are a list, and so are places that are free.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: Node,
    next: u32,
}

/// The variable of a leaf: below all others.
const LEAF: u32 = u32::MAX;
/// The variable of a place that is free.
const FREE: u32 = u32::MAX - 1;
/// The end of a list.
const NONE: u32 = u32::MAX;
/// How many buckets there are at first, and entries in the cache.
const SMALL: usize = 1 << 10;
/// The cache does not grow beyond this.
const LARGE: usize = 1 << 23;

fn mix(a: u32, b: u32, c: u32) -> usize {
    let hash = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = (hash.rotate_left(31) ^ u64::from(c)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (hash ^ hash >> 32) as usize
}

/// All nodes. The first two are the leaves, false and true.
#[derive(Debug)]
pub(super) struct Nodes {
    places: Vec<Place>,
    buckets: Vec<u32>,
    free: u32,
    used: usize,
}

impl Nodes {
    pub(super) fn new() -> Nodes {
        let leaf = |number| Place {
            node: Node {
                variable: LEAF,
                low: number,
                high: number,
            },
            next: NONE,
        };
        Nodes {
            places: vec![leaf(0), leaf(1)],
            buckets: vec![NONE; SMALL],
            free: NONE,
            used: 2,
        }
    }

    pub(super) fn get(&self, number: u32) -> Node {
        self.places[number as usize].node
    }

    fn is_free(&self, number: u32) -> bool {
        self.get(number).variable == FREE
    }

    /// How many nodes are in use.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    fn bucket(&self, node: Node) -> usize {
        mix(node.variable, node.low, node.high) & (self.buckets.len() - 1)
    }

    pub(super) fn find(&self, variable: u32, low: u32, high: u32) -> Option<u32> {
        let node = Node { variable, low, high };
        let mut number = self.buckets[self.bucket(node)];
        while number != NONE {
            let place = &self.places[number as usize];
            if place.node == node {
                return Some(number);
            }
            number = place.next;
        }
        None
    }

    /// Adds a node that is not there.
    pub(super) fn add(&mut self, variable: u32, low: u32, high: u32) -> u32 {
        let node = Node { variable, low, high };
        let bucket = self.bucket(node);
        let next = self.buckets[bucket];
        let number = match self.free {
            NONE => {
                self.places.push(Place { node, next });
                self.places.len() as u32 - 1
            }
            number => {
                let place = &mut self.places[number as usize];
                self.free = place.next;
                *place = Place { node, next };
                number
            }
        };
        self.buckets[bucket] = number;
        self.used += 1;
        if self.used > self.buckets.len() {
            self.link(self.buckets.len() * 2);
        }
        number
    }

    /// Makes the lists anew, with this many buckets.
    fn link(&mut self, buckets: usize) {
        self.buckets = vec![NONE; buckets];
        self.free = NONE;
        for number in 2..self.places.len() {
            let node = self.places[number].node;
            let list = match node.variable {
                FREE => &mut self.free,
                _ => {
                    let bucket = self.bucket(node);
                    &mut self.buckets[bucket]
                }
            };
            self.places[number].next = std::mem::replace(list, number as u32);
        }
    }

    /// Frees all nodes that none of these has below it.
    pub(super) fn retain(&mut self, roots: impl IntoIterator<Item = u32>) {
        let mut marked = vec![false; self.places.len()];
        marked[..2].fill(true);
        let mut pending: Vec<u32> = roots.into_iter().collect();
        while let Some(number) = pending.pop() {
            if !std::mem::replace(&mut marked[number as usize], true) {
                let node = self.get(number);
                pending.extend([node.low, node.high]);
            }
        }
        self.used = 0;
        for (place, marked) in self.places.iter_mut().zip(marked) {
            match marked {
                true => self.used += 1,
                false => place.node.variable = FREE,
            }
        }
        self.link(self.buckets.len());
    }
}

/// What a result is remembered under: an operation, below 8, and its operands, which are all nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    operation: u32,
    others: [u32; 2],
}

impl Key {
    pub(super) fn new(operation: u32, first: u32, others: [u32; 2]) -> Key {
        let operation = operation | first << 3;
        Key { operation, others }
    }
}

/// Remembers results, the newest two of those that share a place: what is forgotten is computed once more.
#[derive(Debug)]
pub(super) struct Cache {
    entries: Vec<(Key, u32)>,
}

const EMPTY: (Key, u32) = (
    Key {
        operation: NONE,
        others: [0; 2],
    },
    0,
);

impl Cache {
    pub(super) fn new() -> Cache {
        Cache {
            entries: vec![EMPTY; SMALL],
        }
    }

    fn place(&self, key: Key) -> usize {
        mix(key.operation, key.others[0], key.others[1]) & (self.entries.len() - 1)
    }

    pub(super) fn get(&self, key: Key) -> Option<u32> {
        let place = self.place(key);
        let mut both = [place, place ^ 1].into_iter().map(|place| self.entries[place]);
        both.find(|(known, _)| *known == key).map(|(_, result)| result)
    }

    pub(super) fn insert(&mut self, key: Key, result: u32) {
        let place = self.place(key);
        self.entries[place ^ 1] = self.entries[place];
        self.entries[place] = (key, result);
    }

    /// Grows with the number of nodes. A large cache is not a quick one.
    pub(super) fn fit(&mut self, nodes: usize) {
        if nodes > self.entries.len() && self.entries.len() < LARGE {
            let larger = vec![EMPTY; self.entries.len() * 4];
            for (key, result) in std::mem::replace(&mut self.entries, larger) {
                if key != EMPTY.0 {
                    self.insert(key, result);
                }
            }
        }
    }

    /// Forgets what is about nodes that are not there any more.
    pub(super) fn retain(&mut self, nodes: &Nodes) {
        for entry in &mut self.entries {
            let (
                Key {
                    operation,
                    others: [second, third],
                },
                result,
            ) = *entry;
            let parts = [operation >> 3, second, third, result];
            if *entry != EMPTY && parts.iter().any(|part| nodes.is_free(*part)) {
                *entry = EMPTY;
            }
        }
    }
}
