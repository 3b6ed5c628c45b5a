//! `#[derive(FromJson)]`: reads a type from JSON by the names that serde writes it with, so that every field is spelled
//! once. The generated code calls one small function per field; derived `Deserialize` code for the same types is about
//! ten times as large, and the page would have to load all of it.
//!
//! Serde's own attributes apply: `rename`, `rename_all`, `rename_all_fields`, `tag`, `default`, `flatten`, `alias`,
//! `transparent` and `other`. In addition:
//!
//! - `#[json(lenient)]` on a type: fields take their default when they are missing, as if each had `#[serde(default)]`.
//! - `#[json(required)]` on a field of a lenient type: the value is unreadable without it.
//! - `#[json(with = "function")]` on a field: reads it with a `fn(serde_json::Value) -> T`.
//! - `#[json(other)]` on a unit variant: the fallback, for unknown names in an enum of names and for every unreadable
//!   value in a tagged enum.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Expr, Field, Fields, Lit, Meta, Result, Token, Variant,
};

#[proc_macro_derive(FromJson, attributes(serde, json))]
pub fn from_json(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    derive(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let options = Options::of(&input.attrs)?;
    let body = match &input.data {
        Data::Struct(data) if options.transparent => match &data.fields {
            Fields::Named(fields) => {
                let field = fields.named.first().and_then(|field| field.ident.as_ref());
                quote!(Some(Self { #field: crate::json::FromJson::from_json(value)? }))
            }
            _ => quote!(Some(Self(crate::json::FromJson::from_json(value)?))),
        },
        Data::Struct(data) => {
            let fields = read_fields(&data.fields, &options, options.rename_all)?;
            let read = construct(&quote!(Self), &data.fields, fields);
            quote! {
                let mut object = crate::json::Object::of(value)?;
                Some(#read)
            }
        }
        Data::Enum(data) => match &options.tag {
            Some(tag) => tagged(data, &options, tag)?,
            None => names(data, &options)?,
        },
        Data::Union(_) => return Err(Error::new_spanned(name, "unions cannot be read from JSON")),
    };
    Ok(quote! {
        impl crate::json::FromJson for #name {
            fn from_json(value: serde_json::Value) -> Option<Self> {
                #body
            }
        }
    })
}

/// Reads an enum of names, such as `"steer"`.
fn names(data: &DataEnum, options: &Options) -> Result<TokenStream> {
    let other = other(data)?;
    let fallback = match &other {
        Some(variant) => quote!(Some(Self::#variant)),
        None => quote!(None),
    };
    let mut arms = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, "an enum without a tag may have only unit variants"));
        }
        let ident = &variant.ident;
        let name = Options::of(&variant.attrs)?.name(&ident.to_string(), options.rename_all);
        if Some(ident) != other.as_ref() {
            arms.push(quote!(#name => Some(Self::#ident),));
        }
    }
    Ok(quote! {
        match value.as_str()? {
            #(#arms)*
            _ => #fallback,
        }
    })
}

/// Reads an enum with a field that names the variant, such as `{"type": "text_delta", …}`.
fn tagged(data: &DataEnum, options: &Options, tag: &str) -> Result<TokenStream> {
    let other = other(data)?;
    let mut arms = Vec::new();
    for variant in &data.variants {
        let ident = &variant.ident;
        if Some(ident) == other.as_ref() {
            continue;
        }
        let name = Options::of(&variant.attrs)?.name(&ident.to_string(), options.rename_all);
        let read = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => quote!(Self::#ident(object.rest()?)),
            fields => {
                let read = read_fields(fields, options, options.rename_all_fields)?;
                construct(&quote!(Self::#ident), fields, read)
            }
        };
        arms.push(quote!(#name => #read,));
    }
    let read = quote! {
        (|| {
            let mut object = crate::json::Object::of(value)?;
            Some(match object.text(#tag).as_str() {
                #(#arms)*
                _ => return None,
            })
        })()
    };
    Ok(match other {
        Some(variant) => quote!(Some(#read.unwrap_or(Self::#variant))),
        None => read,
    })
}

/// The fallback variant.
fn other(data: &DataEnum) -> Result<Option<syn::Ident>> {
    let is_other = |variant: &&Variant| Options::of(&variant.attrs).is_ok_and(|options| options.other);
    Ok(data.variants.iter().find(is_other).map(|variant| variant.ident.clone()))
}

fn read_fields(fields: &Fields, container: &Options, case: Case) -> Result<Vec<TokenStream>> {
    let Fields::Named(fields) = fields else { return Ok(Vec::new()) };
    // A flattened field reads all remaining fields, so it is read last.
    let mut reads: Vec<(bool, usize, TokenStream)> = Vec::new();
    for (position, field) in fields.named.iter().enumerate() {
        let options = Options::of(&field.attrs)?;
        reads.push((options.flatten, position, read_field(field, &options, container, case)));
    }
    reads.sort_by_key(|(flatten, position, _)| (*flatten, *position));
    Ok(reads.into_iter().map(|(_, _, read)| read).collect())
}

/// The initializer of one field: `field: value`.
fn read_field(field: &Field, options: &Options, container: &Options, case: Case) -> TokenStream {
    let Some(ident) = &field.ident else { return TokenStream::new() };
    if options.flatten {
        return quote!(#ident: object.rest()?);
    }
    let name = options.name(&ident.to_string(), case);
    let value = match &options.alias {
        Some(alias) => quote!(object.take_either(#name, #alias)),
        None => quote!(object.take(#name)),
    };
    let lenient = options.default || ((container.default || container.lenient) && !options.required);
    match &options.with {
        Some(with) => quote!(#ident: #with(#value)),
        None if lenient => quote!(#ident: crate::json::or_default(#value)),
        None => quote!(#ident: crate::json::FromJson::from_json(#value)?),
    }
}

fn construct(path: &TokenStream, fields: &Fields, reads: Vec<TokenStream>) -> TokenStream {
    match fields {
        Fields::Named(_) => quote!(#path { #(#reads),* }),
        Fields::Unnamed(_) => quote!(#path(#(#reads),*)),
        Fields::Unit => quote!(#path),
    }
}

#[derive(Clone, Copy, Default)]
enum Case {
    #[default]
    AsWritten,
    Snake,
    Camel,
}

impl Case {
    fn parse(name: &str) -> Self {
        match name {
            "snake_case" => Self::Snake,
            "camelCase" => Self::Camel,
            _ => Self::AsWritten,
        }
    }

    fn apply(self, name: &str) -> String {
        let is_variant = name.starts_with(|letter: char| letter.is_ascii_uppercase());
        match (self, is_variant) {
            (Self::Snake, true) => {
                let mut snake = String::new();
                for (position, letter) in name.char_indices() {
                    if letter.is_ascii_uppercase() && position > 0 {
                        snake.push('_');
                    }
                    snake.push(letter.to_ascii_lowercase());
                }
                snake
            }
            (Self::Camel, true) => name[..1].to_ascii_lowercase() + &name[1..],
            (Self::Camel, false) => {
                let mut words = name.split('_');
                let first = words.next().unwrap_or_default().to_owned();
                words.fold(first, |camel, word| {
                    let (initial, rest) = word.split_at(word.len().min(1));
                    camel + &initial.to_ascii_uppercase() + rest
                })
            }
            _ => name.to_owned(),
        }
    }
}

/// The attributes of a type, a variant or a field.
#[derive(Default)]
struct Options {
    rename: Option<String>,
    rename_all: Case,
    rename_all_fields: Case,
    tag: Option<String>,
    alias: Option<String>,
    with: Option<syn::Path>,
    default: bool,
    flatten: bool,
    transparent: bool,
    other: bool,
    lenient: bool,
    required: bool,
}

impl Options {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        let own = attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("serde") || attribute.path().is_ident("json"));
        for attribute in own {
            for meta in attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)? {
                options.add(&meta)?;
            }
        }
        Ok(options)
    }

    fn add(&mut self, meta: &Meta) -> Result<()> {
        let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        let text = || text_of(meta).unwrap_or_default();
        match name.as_str() {
            "rename" => self.rename = Some(text()),
            "rename_all" => self.rename_all = Case::parse(&text()),
            "rename_all_fields" => self.rename_all_fields = Case::parse(&text()),
            "tag" => self.tag = Some(text()),
            "alias" => self.alias = Some(text()),
            "with" => self.with = Some(syn::parse_str(&text())?),
            "default" => self.default = true,
            "flatten" => self.flatten = true,
            "transparent" => self.transparent = true,
            "other" => self.other = true,
            "lenient" => self.lenient = true,
            "required" => self.required = true,
            _ => {}
        }
        Ok(())
    }

    /// The name in JSON.
    fn name(&self, ident: &str, case: Case) -> String {
        self.rename.clone().unwrap_or_else(|| case.apply(ident))
    }
}

fn text_of(meta: &Meta) -> Option<String> {
    let Meta::NameValue(pair) = meta else { return None };
    let Expr::Lit(literal) = &pair.value else { return None };
    match &literal.lit {
        Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}
