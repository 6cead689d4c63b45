import type { Language } from './language.ts'

/** What a catalogue needs for its texts. It is passed to catalogues, which import only types. */
export interface TextKit {
  /** "1 object", "1,204 objects". */
  count(count: number, forms: PluralForms): string
  /** The form for a number that is not part of the text. */
  plural(count: number, forms: PluralForms): string
  /** "1,204" */
  number(value: number): string
  /** "a, b and c" */
  list(items: readonly string[]): string
}

/** The forms of a word by the plural rules of CLDR, which https://cldr.unicode.org/index/cldr-spec/plural-rules lists. */
type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & Record<'other', string>>

export function textKit(language: Language, locale: string): TextKit {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(locale)
  const lists = new Intl.ListFormat(locale)
  const plural: TextKit['plural'] = (count, forms) => forms[rules.select(count)] ?? forms.other
  return {
    plural,
    count: (count, forms) => `${numbers.format(count)} ${plural(count, forms)}`,
    number: (value) => numbers.format(value),
    list: (items) => lists.format(items),
  }
}
