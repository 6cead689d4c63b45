import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { StrictUpstream, streamHead } from '../../fakes/strict-upstream.ts'
import { fieldsOf, modelsApiKey, startCalling } from '../../support/calling.ts'
import { absenceOfRegistry, execute, installAlone } from './installers.ts'

const platform = `${process.platform}-${process.arch}`
/** A task of a few steps; an agent that waits for a person would wait for ever. */
const timeoutMs = 120_000

/** Coding agents do a task with two tools through a model of an API that they do not speak. They need the cached. */
const skip = absenceOfRegistry('npm')
const written = 'forty-two'

test('Claude Code uses a model that has only Chat Completions', { skip }, async (t) => {
  const { url, upstream } = await start(t, 'openai')
  const { folder, environment, project, file } = await install(t, '@anthropic-ai/claude-code')
  upstream.behave = ({ body }, response) => {
    const { messages } = JSON.parse(String(body)) as { messages: { role: string }[] }
    const results = messages.filter(({ role }) => role === 'tool').length
    const calls = [
      ['Bash', { command: `echo ${written} > ${file}`, description: 'Writes' }],
      ['Read', { file_path: file }],
    ] as const
    response.writeHead(200, streamHead).end(chatStream(calls[results], results))
  }
  const command = join(folder, `node_modules/@anthropic-ai/claude-code-${platform}/claude`)
  const { stdout } = await runAgent(
    command,
    ['-p', '--dangerously-skip-permissions', `Write ${written} to a file and read it`],
    {
      cwd: project,
      env: {
        ...{ ...environment, ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: modelsApiKey },
        ...{ ANTHROPIC_MODEL: 'lab/big', ANTHROPIC_SMALL_FAST_MODEL: 'lab/big', IS_SANDBOX: '1' },
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    },
  )
  assert.match(stdout, /The end\./)
  assert.equal(readFileSync(file, 'utf8').trim(), written)
  assert.ok(String(upstream.calls.at(-1)?.body).includes(written))
})

for (const flavour of ['openai', 'anthropic'] as const) {
  test(`Codex uses a model that has only the API of ${flavour}`, { skip }, async (t) => {
    const { url, upstream } = await start(t, flavour)
    const { folder, environment, project, file } = await install(t, '@openai/codex')
    upstream.behave = ({ path, body }, response) => {
      if (path.endsWith('/responses')) {
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end('{"detail":"Not Found"}')
        return
      }
      const results = String(body).split(/"role":"tool"|"type":"tool_result"/).length - 1
      const commands = [`echo ${written} > ${file}`, `cat ${file}`]
      const call = commands[results] && (['exec_command', { cmd: commands[results] }] as const)
      const text = flavour === 'openai' ? chatStream(call, results) : messagesStream(call, results)
      response.writeHead(200, streamHead).end(text)
    }
    const home = join(folder, 'home/.codex')
    mkdirSync(home)
    writeFileSync(join(home, 'config.toml'), configOf(url))
    const { stdout } = await runAgent(
      join(folder, 'node_modules/.bin/codex'),
      ['exec', '--skip-git-repo-check', '--sandbox', 'danger-full-access', `Write ${written}`],
      { cwd: project, env: { ...environment, MODELS_KEY: modelsApiKey } },
    )
    assert.match(stdout, /The end\./)
    assert.equal(readFileSync(file, 'utf8').trim(), written)
    assert.ok(String(upstream.calls.at(-1)?.body).includes(written))
  })
}

/** Codex reads its standard input to the end before it begins. */
async function runAgent(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  const running = execute(command, args, { ...options, timeout: timeoutMs })
  running.child.stdin?.end()
  return await running
}

async function start(t: TestContext, flavour: 'openai' | 'anthropic') {
  const { url, connect } = await startCalling(t)
  const upstream = await StrictUpstream.start(t, { flavour })
  await connect('lab', fieldsOf(upstream))
  return { url, upstream }
}

async function install(t: TestContext, name: string) {
  const client = { name, registry: 'npm', packages: [name], scenario: '' } as const
  const { folder, environment } = await installAlone(t, client)
  const project = join(folder, 'project')
  mkdirSync(project)
  return { folder, environment, project, file: join(project, 'made.txt') }
}

const configOf = (url: string) => `model = "lab/big"
model_provider = "bucketry"
web_search = "disabled"
[model_providers.bucketry]
name = "Bucketry"
base_url = "${url}/v1"
env_key = "MODELS_KEY"
wire_api = "responses"
`

type ToolCall = readonly [name: string, input: object] | '' | undefined
const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`

function chatStream(call: ToolCall, number: number): string {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({ id: `c${number}`, model: 'big', choices: [{ index: 0, delta, finish_reason }] })
  const end = data({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } })
  const start = chunk({ role: 'assistant', content: '' }) + chunk({ reasoning_content: 'Hm.' })
  if (!call)
    return `${start + chunk({ content: 'The end.' }) + chunk({}, 'stop') + end}data: [DONE]\n\n`
  const [name, input] = call
  const made = { name, arguments: JSON.stringify(input) }
  const tool_calls = [
    { index: 0, id: `functions.${name}:${number}`, type: 'function', function: made },
  ]
  return `${start + chunk({ tool_calls }) + chunk({}, 'tool_calls') + end}data: [DONE]\n\n`
}

function messagesStream(call: ToolCall, number: number): string {
  const message = { id: `m${number}`, model: 'big', usage: { input_tokens: 9, output_tokens: 1 } }
  const block = call
    ? { type: 'tool_use', id: `toolu_${number}`, name: call[0], input: {} }
    : { type: 'text', text: '' }
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify(call[1]) }
    : { type: 'text_delta', text: 'The end.' }
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: call ? 'tool_use' : 'end_turn' }, usage: {} },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\n${data(event)}`).join('')
}
