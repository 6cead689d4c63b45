import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConnectError } from '../../../../../../src/app/cli/command.ts'
import {
  type ConnectOptions,
  connectGoogle,
} from '../../../../../../src/app/cli/connect/google/connect-google.ts'
import { NobodyThere, type Terminal } from '../../../../../../src/app/cli/connect/terminal.ts'
import { parseEnvFile } from '../../../../../../src/app/settings/env-file.ts'
import {
  json,
  type Step,
  startScriptedGoogle,
} from '../../../../storage/drives/google/api/scripted-google.ts'

/** Pastes or opens the printed address; answers questions from a table. */
class Person implements Terminal {
  readonly said: string[] = []
  readonly #answers: Readonly<Record<string, string>>
  #onUrl: (url: URL) => void

  constructor(answers: Readonly<Record<string, string>>, onUrl: (url: URL) => void) {
    this.#answers = answers
    this.#onUrl = onUrl
  }

  get text(): string {
    return this.said.join('\n')
  }

  say(text: string): void {
    this.said.push(text)
    const [address] = /https?:\S+response_type=code\S*/.exec(text) ?? []
    if (address !== undefined) this.#onUrl(new URL(address))
  }

  pasted: Promise<string> | undefined

  async ask(question: string): Promise<string> {
    const answer = question === '' ? this.pasted : this.#answers[question]
    if (answer === undefined) throw new NobodyThere('There is nobody to ask.')
    this.pasted = undefined
    return await answer
  }

  close(): void {
    this.#onUrl = () => undefined
  }
}

const tokens = json(200, {
  access_token: 'at-1',
  refresh_token: '1//refresh-1',
  expires_in: 3599,
  scope: 'openid https://www.googleapis.com/auth/drive',
})
const about = json(200, {
  user: { emailAddress: 'ann@example.org' },
  storageQuota: { limit: '15000000000', usage: '1200000000' },
})
const answers = { 'Client ID: ': 'id-1.apps', 'Client secret: ': 'GOCSPX-1' }

async function startConnect(t: TestContext, more: Partial<ConnectOptions> = {}) {
  const google = await startScriptedGoogle(t)
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-connect-'))
  t.after(() => rm(folder, { recursive: true }))
  const connect = (terminal: Terminal, rclone: ConnectOptions['rclone'] = undefined) =>
    connectGoogle({
      terminal,
      port: 0,
      rclone,
      endpoints: { ...google.endpoints, authorize: 'https://accounts.example/auth' },
      ...more,
      environment: { DATA_DIR: join(folder, 'data'), ...more.environment },
      file: more.file && join(folder, more.file),
    })
  const values = async (file = 'data/bucketry.env') =>
    parseEnvFile(await readFile(join(folder, file), 'utf8'))
  return { google, folder, connect, values }
}

/** The browser comes back with an answer, after some noise. */
const browser = (query: (state: string) => string) => async (url: URL) => {
  const back = url.searchParams.get('redirect_uri') ?? ''
  const get = async (path: string) => (await fetch(`${back}${path}`)).status
  assert.equal(await get('/favicon.ico'), 404)
  assert.equal(await get('/?state=forged&code=evil'), 400)
  assert.equal(await get(`/?${query(url.searchParams.get('state') ?? '')}`), 200)
}
const consents = browser((state) => `state=${state}&code=4%2Fgood&scope=x`)

test('connectGoogle asks for consent, writes the credentials and tries them', async (t) => {
  const { google, folder, connect, values } = await startConnect(t)
  google.playTokens(tokens)
  google.play(about)
  let asked: URL | undefined
  const person = new Person(answers, (url) => {
    asked = url
    void consents(url)
  })
  await connect(person)
  const written = await values()
  assert.equal(written.GDRIVE_CLIENT_ID, 'id-1.apps')
  assert.equal(written.GDRIVE_CLIENT_SECRET, 'GOCSPX-1')
  assert.equal(written.GDRIVE_REFRESH_TOKEN, '1//refresh-1')
  // The file is one that the server begins with.
  assert.equal(written.ALLOWED_BUCKETS, 'files')
  assert.equal((await stat(join(folder, 'data/bucketry.env'))).mode & 0o777, 0o600)
  const [grant, second] = google.grants
  assert.equal(grant?.get('grant_type'), 'authorization_code')
  assert.equal(grant?.get('code'), '4/good')
  assert.equal(grant?.get('redirect_uri'), asked?.searchParams.get('redirect_uri'))
  const challenge = createHash('sha256')
    .update(grant?.get('code_verifier') ?? '')
    .digest('base64url')
  assert.equal(challenge, asked?.searchParams.get('code_challenge'))
  assert.equal(second?.get('refresh_token'), '1//refresh-1')
  assert.match(
    person.text,
    /Connected to Google Drive as ann@example\.org: 1\.2 GB of 15\.0 GB used\./,
  )
  assert.match(person.text, /Now set DRIVE=gdrive:FOLDER/)
  assert.doesNotMatch(person.text, /refresh-1|GOCSPX|4\/good|at-1/)
})

test('connectGoogle writes the credentials of a named drive, with the client of another', async (t) => {
  const environment = { GDRIVE_CLIENT_ID: 'id-1.apps', GDRIVE_CLIENT_SECRET: 'GOCSPX-1' }
  const { google, connect, values } = await startConnect(t, { drive: 'ARCHIVE', environment })
  google.playTokens(tokens)
  google.play(about)
  const person = new Person({}, (url) => void consents(url))
  await connect(person)
  const written = await values()
  assert.equal(written.GDRIVE_CLIENT_ID_ARCHIVE, 'id-1.apps')
  assert.equal(written.GDRIVE_REFRESH_TOKEN_ARCHIVE, '1//refresh-1')
  assert.equal(written.GDRIVE_REFRESH_TOKEN, undefined)
  assert.match(
    person.text,
    /Now set DRIVE_ARCHIVE=gdrive:FOLDER.*BUCKET@ARCHIVE in ALLOWED_BUCKETS/,
  )
})

test('connectGoogle takes the address that is pasted, and asks again for another', async (t) => {
  const { google, connect, values } = await startConnect(t, { file: 'my.env' })
  google.playTokens(tokens)
  google.play(about)
  const person = new Person(answers, (url) => {
    const state = url.searchParams.get('state')
    person.pasted = Promise.resolve('http://127.0.0.1:1/?state=other&code=evil')
    const say = person.say.bind(person)
    person.say = (text) => {
      say(text)
      if (!/not the address/.test(text)) return
      person.pasted = Promise.resolve(`http://127.0.0.1:1/?state=${state}&code=4%2Fgood`)
    }
  })
  await connect(person)
  assert.match(person.text, /not the address/)
  assert.deepEqual(await values('my.env'), {
    GDRIVE_CLIENT_ID: 'id-1.apps',
    GDRIVE_CLIENT_SECRET: 'GOCSPX-1',
    GDRIVE_REFRESH_TOKEN: '1//refresh-1',
  })
})

test('connectGoogle again takes the client from the file and keeps all other lines', async (t) => {
  const { google, folder, connect } = await startConnect(t, {
    file: 'my.env',
    environment: { ACCESS_KEY: 'k', GDRIVE_REFRESH_TOKEN: 'older' },
  })
  const before = '# mine\nGDRIVE_REFRESH_TOKEN=dead\nDRIVE=gdrive:Photos\nGDRIVE_CLIENT_ID=id-2\n'
  await writeFile(join(folder, 'my.env'), `${before}GDRIVE_CLIENT_SECRET=s-2\n`)
  google.playTokens(tokens)
  google.play(about)
  const person = new Person({}, (url) => void consents(url))
  await connect(person)
  assert.equal(
    await readFile(join(folder, 'my.env'), 'utf8'),
    `${before.replace('dead', '1//refresh-1')}GDRIVE_CLIENT_SECRET=s-2\n`,
  )
  assert.match(person.text, /GDRIVE_REFRESH_TOKEN is also set in the environment/)
  assert.match(person.text, /DRIVE is gdrive:Photos: start Bucketry/)
})

test('connectGoogle warns that its file is not read when the environment has the keys', async (t) => {
  const environment = { ACCESS_KEY: 'k', SECRET_KEY: 's', ALLOWED_BUCKETS: 'b' }
  const { google, connect, values } = await startConnect(t, { environment })
  google.playTokens(tokens)
  google.play(about)
  const person = new Person(answers, (url) => void consents(url))
  await connect(person)
  assert.equal((await values()).GDRIVE_REFRESH_TOKEN, '1//refresh-1')
  assert.match(person.text, /does not read \/.*\/data\/bucketry\.env/)
})

const failures: readonly {
  readonly title: string
  readonly token?: Step
  readonly answer?: (url: URL) => unknown
  readonly answers?: Record<string, string>
  readonly message: RegExp
}[] = [
  {
    title: 'the person says no',
    answer: browser((state) => `state=${state}&error=access_denied`),
    message: /test users/,
  },
  {
    title: 'there is no refresh token',
    token: json(200, { access_token: 'at-1', expires_in: 1 }),
    message: /myaccount\.google\.com\/connections/,
  },
  {
    title: 'the box of Google Drive was not ticked',
    token: json(200, { refresh_token: 'r', scope: 'openid' }),
    message: /select its checkbox/,
  },
  {
    title: 'the secret is wrong',
    token: json(401, { error: 'invalid_client' }),
    message: /\(invalid_client\)\. The client ID or its secret is wrong/,
  },
  {
    title: 'the client is of another type',
    token: json(400, { error: 'redirect_uri_mismatch' }),
    message: /Desktop app/,
  },
  {
    title: 'Google answers with a page',
    token: ({ response }) => void response.writeHead(502).end('<html>'),
    message: /\(502\)\. Try again later/,
  },
  { title: 'nobody names a client', answers: {}, message: /nobody to ask/ },
  {
    title: 'the client has no name',
    answers: { 'Client ID: ': '' },
    message: /docs\/google-drive\.md/,
  },
]
for (const { title, token = tokens, answer = consents, answers: given, message } of failures) {
  test(`connectGoogle writes nothing and says what to do when ${title}`, async (t) => {
    const { google, connect, values } = await startConnect(t)
    google.playTokens(token)
    const person = new Person(given ?? answers, (url) => void answer(url))
    await assert.rejects(connect(person), (error) => {
      assert.ok(error instanceof ConnectError, String(error))
      assert.match(error.message, message)
      return true
    })
    assert.equal((await values()).GDRIVE_REFRESH_TOKEN, undefined)
  })
}

test('connectGoogle keeps the consent when Google refuses the first call', async (t) => {
  const { google, connect, values } = await startConnect(t)
  google.playTokens(tokens)
  google.play(json(403, { error: { errors: [{ reason: 'accessNotConfigured' }] } }))
  const person = new Person(answers, (url) => void consents(url))
  await assert.rejects(connect(person), /do not work yet.*Enable the Google Drive API/)
  assert.equal((await values()).GDRIVE_REFRESH_TOKEN, '1//refresh-1')
})

const rcloneText = `[gd]
type = drive
client_id = id-9
client_secret = s-9
token = {"access_token":"a","refresh_token":"1//from-rclone"}
root_folder_id = 1ROOT
`

test('connectGoogle takes the credentials of a remote of rclone', async (t) => {
  const { google, folder, connect, values } = await startConnect(t)
  const config = join(folder, 'rclone.conf')
  await writeFile(config, rcloneText)
  google.play(about)
  const person = new Person({}, () => undefined)
  await connect(person, { remote: 'gd:', config })
  const written = await values()
  assert.equal(written.GDRIVE_REFRESH_TOKEN, '1//from-rclone')
  assert.equal(written.GDRIVE_CLIENT_ID, 'id-9')
  assert.equal(written.DRIVE, 'gdrive:1ROOT')
  assert.match(person.text, /DRIVE is gdrive:1ROOT: start Bucketry/)
})

test('connectGoogle writes nothing for a remote with an expired token', async (t) => {
  const { google, folder, connect, values } = await startConnect(t)
  const config = join(folder, 'rclone.conf')
  await writeFile(config, rcloneText)
  google.playTokens(json(400, { error: 'invalid_grant' }))
  const taken = connect(new Person({}, () => undefined), { remote: 'gd', config })
  await assert.rejects(taken, /refresh token is no longer valid/)
  assert.equal((await values()).GDRIVE_REFRESH_TOKEN, undefined)
})

test('connectGoogle tries the service account of a remote', async (t) => {
  const { google, folder, connect, values } = await startConnect(t)
  const config = join(folder, 'rclone.conf')
  const key = join(folder, 'key.json')
  await writeFile(config, `[gd]\ntype = drive\nservice_account_file = ${key}\nteam_drive = 0A\n`)
  const taken = () => connect(new Person({}, () => undefined), { remote: 'gd', config })
  await assert.rejects(taken(), /key\.json: ENOENT/)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const file = {
    type: 'service_account',
    client_email: 'robot@example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  await writeFile(key, JSON.stringify(file))
  google.play(about)
  await taken()
  const written = await values()
  assert.equal(written.GDRIVE_SERVICE_ACCOUNT, key)
  assert.equal(written.GDRIVE_SHARED_DRIVE, '0A')
})
