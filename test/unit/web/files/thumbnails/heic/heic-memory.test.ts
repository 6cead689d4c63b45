import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
import { memory } from '../../../../../../web/src/files/thumbnails/heic/heic-memory.ts'
import { overlayHeic } from '../../../../../support/sample-heic.ts'

interface HeifImage {
  display(pixels: { readonly data: Uint8ClampedArray }, done: (pixels: unknown) => void): void
}

interface LibHeif {
  readonly HeifDecoder: new () => { decode(file: Uint8Array): readonly HeifImage[] }
}

// Its module changes what all tests of a process have: a file with a hook has its own.
after(() => undefined)

test('a photo of 300 × 150 pixels that is composed of 400 million ends without their memory', async (t) => {
  t.mock.method(console, 'log', () => undefined)
  const require = createRequire(import.meta.url)
  const path = require.resolve('libheif-js/libheif-wasm/libheif.wasm')
  const libheif: (options: object) => LibHeif = require('libheif-js/libheif-wasm/libheif.js')
  const { grow } = memory
  let most = 0
  t.mock.method(memory, 'grow', function (this: typeof memory, pages: number) {
    const before = grow.call(this, pages)
    most = this.buffer.byteLength
    return before
  })
  const library = libheif({ wasmBinary: readFileSync(path) })
  const [image] = new library.HeifDecoder().decode(overlayHeic(20_000))
  assert.ok(image !== undefined)
  const data = new Uint8ClampedArray(300 * 150 * 4)
  assert.equal(await new Promise((resolve) => image.display({ data }, resolve)), null)
  assert.ok(most > 0 && most < 800 * 1024 * 1024, String(most))
})
