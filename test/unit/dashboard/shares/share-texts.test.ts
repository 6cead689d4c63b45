import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html, isShownInBrowser } from '../../../../src/dashboard/shares/share-pages.ts'
import { nameOf, shownName } from '../../../../src/dashboard/shares/share-texts.ts'

test('html escapes every text, and leaves markup and what is absent', () => {
  const inner = html`<b>${`<i a="1" b='2'>&`}</b>`
  assert.equal(inner.markup, '<b>&lt;i a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;</b>')
  assert.equal(
    html`${inner}${[inner]}${undefined}${false}${0}`.markup,
    `${inner.markup.repeat(2)}0`,
  )
})

test('shownName shows what could make a name look like another one', () => {
  assert.equal(shownName('a\u202egpj.exe'), 'a\ufffdgpj.exe')
  assert.equal(shownName('a\u0000\n\u200b\ufeff'), 'a\ufffd\ufffd\ufffd\ufffd')
  assert.equal(shownName('👩\u200d🚀 ж.txt'), '👩\u200d🚀 ж.txt')
  assert.equal(shownName('\ud800'), '\ufffd')
  assert.equal(shownName(''), '?')
})

test('nameOf is the last part of a key', () => {
  assert.deepEqual(['a/b.txt', 'a/b/', 'c', '', 'a//'].map(nameOf), ['b.txt', 'b', 'c', '', ''])
})

test('isShownInBrowser knows only types that cannot run anything', () => {
  const shown = ['image/png', 'IMAGE/JPEG; a=b', 'video/mp4', 'audio/ogg', 'text/plain ;charset=x']
  const saved = ['image/svg+xml', 'text/html', 'image/png, text/html', 'text/plainly', 'image/', '']
  assert.deepEqual([...shown, ...saved].filter(isShownInBrowser), shown)
})
