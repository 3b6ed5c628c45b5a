//! Tables of data and query languages.

use super::{DOUBLE, OwnEnds, PLAIN, Quote, Rules, SINGLE, long, quote, verbatim};

pub const JSON: Rules = Rules {
    constants: "true false null NaN Infinity",
    // For the variants that allow comments and other quotes.
    quotes: &[DOUBLE, SINGLE],
    capitals: false,
    keys: true,
    ..PLAIN
};

pub const SQL: Rules = Rules {
    keywords: "add all alter analyze and as asc autoincrement auto_increment before begin between by cascade case check \
               collate column commit concurrently conflict constraint create cross cube current database declare default \
               deferrable delete desc distinct do drop else elsif end engine except exception execute exists explain \
               extension fetch filter first following for foreign from full function generated grant group grouping having if \
               ilike immediate in index inner insert intersect interval into is isnull join key language last lateral left \
               like limit lock loop materialized matched merge natural new next no not nothing notnull nulls of off offset \
               old on only or order outer over partition policy pragma preceding primary procedure raise range recursive \
               references rename replace restrict return returning returns revoke right rollback rollup row rows schema \
               select sequence set show similar table temp temporary then to transaction trigger truncate type unbounded \
               union unique unlogged update upsert use using vacuum values view virtual when where while window with without",
    constants: "true false null current_date current_time current_timestamp",
    types: "array bigint bigserial binary bit blob bool boolean bytea char character cidr clob date datetime decimal double \
            enum float inet int int2 int4 int8 integer json jsonb long mediumint money numeric nvarchar precision real serial \
            smallint text time timestamp timestamptz tinyint tsvector uuid varbinary varchar varying year zone",
    definers: "function procedure",
    line_comments: &["--"],
    quotes: &[
        Quote { open: "'", close: "'", escapes: false, lines: true, hole: "" },
        quote("\"", ""),
        quote("`", ""),
    ],
    own_ends: OwnEnds::Sql,
    ignores_case: true,
    capitals: false,
    ..PLAIN
};

pub const GRAPHQL: Rules = Rules {
    keywords: "directive enum extend fragment implements input interface mutation on query repeatable scalar schema \
               subscription type union",
    constants: "true false null",
    line_comments: &["#"],
    block_comment: None,
    quotes: &[long("\"\"\"", ""), DOUBLE],
    sigils: b"$",
    keys: true,
    decorators: true,
    ..PLAIN
};

pub const PROTO: Rules = Rules {
    keywords: "enum extend extensions import map message oneof option optional package public repeated required reserved \
               returns rpc service stream syntax to weak",
    constants: "true false",
    types: "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64",
    ..PLAIN
};

pub const HCL: Rules = Rules {
    keywords: "backend check data dynamic for_each for if in import locals module moved output provider provisioner \
               required_providers resource terraform variable",
    constants: "true false null",
    types: "any bool list map number object set string tuple",
    line_comments: &["#", "//"],
    quotes: &[quote("\"", "${")],
    letters: b"-",
    ..PLAIN
};

/// Values of settings, after `=`.
pub const TOML: Rules = Rules {
    constants: "true false inf nan",
    line_comments: &["#"],
    block_comment: None,
    quotes: &[long("\"\"\"", ""), verbatim("'''"), DOUBLE, Quote { escapes: false, ..SINGLE }],
    capitals: false,
    ..PLAIN
};

pub const INI: Rules = Rules {
    constants: "true false yes no on off none null",
    line_comments: &["#", ";"],
    block_comment: None,
    quotes: &[DOUBLE],
    spaced_comments: true,
    ignores_case: true,
    capitals: false,
    ..PLAIN
};

/// Values of YAML, after the colon.
pub const VALUES: Rules = Rules {
    constants: "true false yes no on off null",
    line_comments: &["#"],
    block_comment: None,
    spaced_comments: true,
    quotes: &[DOUBLE, Quote { escapes: false, ..SINGLE }],
    ignores_case: true,
    capitals: false,
    keys: true,
    ..PLAIN
};
