import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageOf, localeOf } from '../../../../web/src/texts/language.ts'
import { textKit } from '../../../../web/src/texts/text-kit.ts'

test('languageOf takes the first language of the browser that has a catalogue', () => {
  assert.equal(languageOf(['de-AT', 'en']), 'de')
  assert.equal(languageOf(['fr-FR', 'EN-gb', 'de']), 'en')
  assert.equal(languageOf(['fr', 'constructor']), 'en')
  assert.equal(languageOf([]), 'en')
})

test('localeOf keeps the region of the browser', () => {
  assert.equal(localeOf('de', ['fr', 'de-AT']), 'de-AT')
  assert.equal(localeOf('en', ['de-DE', 'de']), 'en')
})

test('the kit of catalogues counts by the plural rules of the language', () => {
  const forms = { one: 'plik', few: 'pliki', other: 'plików' }
  const { count, plural } = textKit('pl' as 'en', 'pl')
  assert.deepEqual(
    [1, 3, 5].map((n) => count(n, forms)),
    ['1 plik', '3 pliki', '5 plików'],
  )
  assert.equal(plural(22, forms), 'pliki')
  assert.equal(textKit('en', 'en').count(1_204, { one: 'key', other: 'keys' }), '1,204 keys')
})
