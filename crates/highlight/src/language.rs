//! The languages and their names.

macro_rules! languages {
    ($($language:ident: $names:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Language {
            $($language),*
        }

        impl Language {
            #[cfg(test)]
            pub const ALL: &[Self] = &[$(Self::$language),*];
        }

        /// The names of each language: after three backticks, or as the extension of a file.
        const NAMES: &[(Language, &str)] = &[$((Language::$language, $names)),*];
    };
}

languages! {
    Bash: "bash sh shell zsh ksh shellscript fish bashrc zshrc envrc";
    C: "c h";
    Console: "console shell-session sh-session shellsession terminal";
    Cpp: "cpp c++ cc cxx hpp hxx hh ino cuda cu objc objective-c objectivec m mm";
    CSharp: "csharp c# cs";
    Css: "css scss less sass postcss";
    Dart: "dart";
    Diff: "diff patch";
    Docker: "dockerfile docker containerfile";
    Elixir: "elixir ex exs";
    Go: "go golang";
    GraphQl: "graphql gql";
    Haskell: "haskell hs";
    Hcl: "hcl terraform tf tfvars";
    Html: "html htm xml svg vue svelte xhtml rss plist xsl xsd astro csproj";
    Ini: "ini cfg conf properties dotenv env editorconfig gitconfig systemd service desktop";
    Java: "java groovy gradle";
    JavaScript: "javascript js mjs cjs jsx ecmascript node";
    Json: "json jsonc json5 jsonl ndjson geojson webmanifest";
    Julia: "julia jl";
    Kotlin: "kotlin kt kts";
    Lua: "lua luau";
    Make: "makefile make mk gnumakefile";
    Markdown: "markdown md mdx";
    Php: "php";
    PowerShell: "powershell ps1 pwsh psm1";
    Proto: "protobuf proto";
    Python: "python py python3 py3 pyi pyw starlark bzl";
    R: "r";
    Ruby: "ruby rb rake gemfile rakefile gemspec podfile";
    Rust: "rust rs";
    Scala: "scala sbt sc";
    Sql: "sql postgres postgresql psql mysql sqlite plsql";
    Swift: "swift";
    Toml: "toml";
    Tsx: "tsx";
    TypeScript: "typescript ts mts cts";
    Yaml: "yaml yml";
    Zig: "zig zon";
}

/// The language of a name, regardless of case.
pub fn of_name(name: &str) -> Option<Language> {
    let is_it = |known: &str| known.eq_ignore_ascii_case(name);
    NAMES.iter().find(|(_, names)| names.split(' ').any(is_it)).map(|(language, _)| *language)
}

/// The part of a file name that is the name of a language: the extension, or the part before the first dot.
pub fn name_in_path(path: &str) -> Option<&str> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let names = [file.rsplit('.').next(), file.split('.').next()];
    names.into_iter().flatten().find(|name| of_name(name).is_some())
}
