import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FormModel } from '../../../../src/models/calls/form-model.ts'
import {
  JsonModel,
  type ModelName,
  withModelName,
} from '../../../../src/models/calls/model-name.ts'

const rewritten = (body: Buffer, found: ModelName, name: string) =>
  Buffer.concat(withModelName(body, found, name))

/** Taken in pieces of any size. */
function modelOfJson(body: Buffer, pieceBytes = Math.max(1, body.length)): ModelName {
  const finder = new JsonModel()
  for (let at = 0; at < body.length; at += pieceBytes)
    finder.take(body.subarray(at, at + pieceBytes))
  return finder.find(body)
}

function modelOfForm(body: Buffer, type: string, isWhole: boolean): ModelName {
  const finder = new FormModel(type)
  finder.take(body)
  return finder.find(body, isWhole)
}

/** JSON text of a value with white space and escapes where they are allowed, as clients write it. */
function texts(value: unknown, pad: () => string): string {
  if (Array.isArray(value)) return `[${value.map((one) => pad() + texts(one, pad)).join()}${pad()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, one]) => `${pad()}${JSON.stringify(name)}${pad()}:${pad()}${texts(one, pad)}`,
  )
  return `{${fields.join(`${pad()},`)}${pad()}}`
}

describe('the model of a JSON body', () => {
  const name = fc.string({ unit: 'binary' })
  const others = fc.dictionary(
    fc
      .string({ unit: 'binary' })
      .filter((key) => key.toLowerCase() !== 'model' && key !== '__proto__'),
    fc.jsonValue({ noUnicodeString: false } as object),
    { noNullPrototype: true },
  )
  const pads = fc.infiniteStream(fc.constantFrom('', '', ' ', '\n\t', '\r\n'))

  test('is replaced, and no other byte changes', () => {
    const property = fc.property(
      others,
      others,
      name,
      name,
      pads,
      (before, after, own, next, pad) => {
        const spaces = () => String(pad.next().value)
        const front = Object.entries(before).filter(([key]) => !Object.hasOwn(after, key))
        const parts = [...front, ['model', own] as const, ...Object.entries(after)]
        const json = (model: string) =>
          parts.map(([key, value]) => [key, key === 'model' ? model : value] as const)
        const marker = 'the-model-is-here'
        const template = spaces() + texts(Object.fromEntries(json(marker)), spaces) + spaces()
        const at = (text: string) =>
          template.replace(JSON.stringify(marker), () => JSON.stringify(text))
        if (template.split(JSON.stringify(marker)).length !== 2) return
        const body = Buffer.from(at(own))
        const found = modelOfJson(body)
        for (const bytes of [1, 7])
          assert.deepEqual({ ...modelOfJson(body, bytes), encode: 0 }, { ...found, encode: 0 })
        assert.equal(found.name, own.isWellFormed() ? own : found.name)
        assert.equal(String(rewritten(body, found, next)), String(Buffer.from(at(next))))
      },
    )
    fc.assert(property, { numRuns: 2_000 })
  })

  test('is found whatever is around it', () => {
    const cases = [
      '{"model":"a"}',
      ' {"x":1.50e+10,"model" : "a" , "y":[{"model":"b"}]}\n',
      '{"nested":{"model":"x","q":"\\"model\\":"},"text":"\\\\","model":"a"}',
      '{"n":null,"t":true,"f":-0.0,"model":"a","big":12345678901234567890}',
      '{"mod\\u0065l":"a"}',
      '{"a":[],"b":{},"model":"\\u0061"}',
    ]
    for (const text of cases) {
      const found = modelOfJson(Buffer.from(text))
      assert.equal(found.name, 'a', text)
      const value = rewritten(Buffer.from(text), found, 'z/"é')
      assert.equal(JSON.parse(String(value)).model, 'z/"é', text)
      assert.equal(
        value.length,
        Buffer.byteLength(text) +
          Buffer.byteLength(JSON.stringify('z/"é')) -
          (found.end - found.start),
      )
    }
  })

  test('is refused if it is unclear', () => {
    const cases = [
      ['', /valid JSON/],
      ['{"model":"a",}', /valid JSON/],
      ['\ufeff{"model":"a"}', /valid JSON/],
      ['[{"model":"a"}]', /JSON object/],
      ['"model"', /JSON object/],
      ['{}', /JSON object/],
      ['{"Model":"a"}', /spelled exactly/],
      ['{"model":"a","conversation":"b","Conversation":"c"}', /conversation more than once/],
      ['{"model":"a","Previous_Response_Id":"b"}', /spelled exactly/],
      ['{"model":5}', /string/],
      ['{"model":null}', /string/],
      ['{"model":"a","model":"a"}', /more than once/],
      ['{"model":"a","mod\\u0065l":"b"}', /more than once/],
      // Go's encoding/json takes both for one field.
      ['{"model":"a","MODEL":"b"}', /more than once/],
      // cJSON takes a name to end at U+0000.
      ['{"model":"a","model\\u0000x":"b"}', /more than once/],
    ] as const
    for (const [text, message] of cases) {
      assert.throws(() => modelOfJson(Buffer.from(text)), { status: 400, message }, text)
    }
    assert.throws(() => modelOfJson(Buffer.from('{"model":"\xff"}', 'latin1')), /valid JSON/)
  })

  test('is found in many escapes and much depth in linear time', () => {
    const large = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)},"b":"${'\\"'.repeat(500_000)}${'\\\\'.repeat(500_000)}","model":"a"}`
    assert.equal(modelOfJson(Buffer.from(large)).name, 'a')
  })
})

describe('the model of a form', () => {
  const type = 'multipart/form-data; boundary=b'
  const part = (name: string, value: string, more = '') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
  const file = part('file', 'RIFF\r\n--x\r\nmodel', '; filename="a.wav"')

  test('is replaced wherever it stands', () => {
    for (const fields of [
      [part('model', 'm'), file],
      [file, part('language', 'en'), part('model', 'm')],
      [part('prompt', 'model'), part('model', 'm'), file],
    ]) {
      const body = Buffer.from(`${fields.join('')}--b--\r\n`)
      const found = modelOfForm(body, type, true)
      assert.equal(found.name, 'm')
      const expected = String(body).replace(part('model', 'm'), part('model', 'own/é'))
      assert.equal(String(rewritten(body, found, 'own/é')), expected)
    }
  })

  test('is refused if it is unclear', () => {
    const refuse = (text: string, message: RegExp, isWhole = true) =>
      assert.throws(() => modelOfForm(Buffer.from(text), type, isWhole), { status: 400, message })
    refuse(`${file}--b--`, /no field model/)
    refuse(`${part('model', 'a')}${part('model', 'b')}--b--`, /more than once/)
    refuse(`${part('model', 'a')}${part('Model', 'b')}--b--`, /more than once/)
    refuse(part('model', 'a'), /ends before/)
    refuse(`${part('prompt', 'x'.repeat(1024 * 1024 + 1))}${part('model', 'a')}--b--`, /1 MiB/)
    refuse(file, /before the file/, false)
    refuse('no form', /begin/)
    assert.throws(() => modelOfForm(Buffer.from(''), 'multipart/form-data', true), /boundary/)
    assert.equal(
      modelOfForm(Buffer.from(part('model', 'a') + file.slice(0, 99)), type, false).name,
      'a',
    )
  })

  test('is the only one, also in what follows a large beginning', () => {
    const begin = Buffer.from(part('model', 'a') + file)
    const finder = new FormModel(type)
    finder.take(begin)
    assert.equal(finder.find(begin, false).name, 'a')
    finder.take(Buffer.from(part('prompt', 'b').slice(0, 20)))
    finder.take(Buffer.from(part('prompt', 'b').slice(20)))
    assert.throws(() => finder.take(Buffer.from(part('MODEL', 'b'))), /more than once/)
  })

  test('is refused if parsers can read another name of a part', () => {
    const model = part('model', 'a')
    for (const head of [
      // Python's email, which FastAPI uses, takes the last parameter, whatever is around its name.
      `Content-Disposition: form-data; name="x"; name*=utf-8''model`,
      `Content-Disposition: form-data; name="x"; name*0="mod"; name*1="el"`,
      `Content-Disposition: form-data; name="x"; name ="model"`,
      `Content-Disposition: form-data; name="x\\"; name="y"`,
      `Content-Disposition: form-data; name="x"; filename="a\\"; title="; name=model"`,
      // Go's textproto joins folded lines, and takes a line feed for the end of one.
      `Content-Disposition: form-data; name="x"\r\n ; name="model"`,
      `X-Other: a\nContent-Disposition: form-data; name="model"\r\nContent-Disposition: form-data; name="x"`,
      // Found by a comparison with the parsers named in test/unit/platform/http/form-parser.test.ts.
      `Content-Disposition: form-data; name="x"; filename="; name=model"`,
      `Content-Disposition: form-data; name="x"\r\nX`,
      `Content-Disposition: form-data; name="x"\r\nContent-Type: multipart/mixed; boundary=q`,
      `Content-Disposition: form-data; name="x"\r\nX: y\r\nX: z`,
    ]) {
      const body = Buffer.from(`${model}--b\r\n${head}\r\n\r\nb\r\n--b--`)
      assert.throws(() => modelOfForm(body, type, true), { status: 400 }, head)
    }
    const usual = part('file', 'x', `; filename="C:\\a b.wav"; filename*=UTF-8''a%20b.wav`)
    assert.equal(modelOfForm(Buffer.from(`${model}${usual}--b--`), type, true).name, 'a')
  })

  test('is refused if parsers can read another value or name of its part', () => {
    for (const [head, value = 'a'] of [
      // Django trims names; PHP and multer make lists; multer takes octet-streams for files.
      ['name=" model"'],
      ['name="model "'],
      ['name="model[]"'],
      ['name="model\0"'],
      ['name="Model"'],
      ['name="model"; filename="a"'],
      [`name="model"; filename*=utf-8''a`],
      ['name="model"\r\nContent-Type: application/octet-stream'],
      // Go decodes quoted-printable, Django and undici base64, busboy the charset.
      ['name="model"\r\nContent-Transfer-Encoding: quoted-printable', 'gpt=2D4'],
      ['name="model"\r\nContent-Transfer-Encoding: base64', 'Z3B0LTQ='],
      ['name="model"\r\nContent-Type: text/plain; charset=utf-16le'],
      ['name="model"\r\nContent-Type: text/plain;charset="base64"'],
      ['name="model"\r\nContent-Type: text/plain; charset=utf-8; charset=utf-7'],
      ['name="model"\r\nContent-Type: text/plain; charset=ISO-8859-1', 'é'],
      // formidable
      ['name="model"\r\nContent-Transfer-Encoding: binary', 'é'],
    ] as const) {
      const body = `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n--b--`
      assert.throws(() => modelOfForm(Buffer.from(body), type, true), { status: 400 }, head)
    }
    // As Spring and Apache's HttpClient write it.
    for (const more of [
      '\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: 1',
      '\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit',
    ]) {
      const body = `${part('model', 'a', more)}${file}--b--`
      assert.equal(modelOfForm(Buffer.from(body), type, true).name, 'a', more)
    }
  })

  test('is not looked for in more parts than fields may have bytes', () => {
    const empty = part('x', '')
    const body = Buffer.from(`${part('model', 'a')}${empty.repeat(1024 * 1024)}--b--`)
    const finder = new FormModel(type)
    const before = process.cpuUsage()
    assert.throws(() => {
      for (let at = 0; at < body.length; at += 65_536) finder.take(body.subarray(at, at + 65_536))
    }, /1 MiB/)
    assert.ok(process.cpuUsage(before).user < 1_500_000)
  })
})
