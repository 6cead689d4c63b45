import { shellWord } from '../../format/shell-word.ts'
import { modelsTexts } from '../../texts/models.ts'
import type { ClientSettings } from '../../ui/copy/client-settings.ts'

/** Stands for the key in settings. Valid without quoting in shells, YAML and .env files. */
export const modelKeyPlaceholder = 'YOUR_MODEL_KEY'

/**
 * Settings to paste, for each app that calls models. /ai/v1 has the list of what the key may call. Apps for OpenAI's API
 * expect the address with /v1. Claude Code expects it without, and adds /v1/messages itself.
 *
 * @param address of this service, without a trailing slash
 */
export function modelClients(address: string, model: string): readonly ClientSettings[] {
  const base = `${address}/ai/v1`
  // A JSON string is also a valid string in Python, JavaScript, YAML and TOML.
  const quoted = JSON.stringify(model)
  const block = (id: string, name: string, ...blocks: ClientSettings['blocks']) => {
    return { id, name, blocks }
  }
  return [
    block('curl', 'curl', { caption: modelsTexts.clients.shell, text: curl(base, quoted) }),
    block('openai-python', 'OpenAI Python', {
      caption: modelsTexts.clients.python,
      text: openAiPython(base, quoted),
    }),
    block('openai-js', 'OpenAI JS', {
      caption: modelsTexts.clients.javaScript,
      text: openAiJs(base, quoted),
    }),
    block('claude-code', 'Claude Code', {
      caption: modelsTexts.clients.shell,
      text: claudeCode(`${address}/ai`, shellWord(model)),
    }),
    block(
      'codex',
      'Codex',
      {
        caption: modelsTexts.clients.codex,
        text: codexToml(base, quoted),
      },
      {
        caption: modelsTexts.clients.shell,
        text: lines(`export BUCKETRY_KEY=${modelKeyPlaceholder}`, 'codex'),
      },
    ),
    block('continue', 'Continue', {
      caption: modelsTexts.clients.continue,
      text: continueYaml(base, quoted),
    }),
    block('open-webui', 'Open WebUI', {
      caption: modelsTexts.clients.openWebUi,
      text: openWebUi(base),
    }),
    block(
      'librechat',
      'LibreChat',
      { caption: modelsTexts.clients.libreChat, text: libreChat(base, quoted) },
      { caption: modelsTexts.clients.env, text: `BUCKETRY_KEY=${modelKeyPlaceholder}\n` },
    ),
  ]
}

function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`
}

function curl(base: string, quoted: string): string {
  const body = `{"model": ${quoted}, "messages": [{"role": "user", "content": "Hi"}]}`
  return lines(
    `curl ${base}/chat/completions \\`,
    `  -H 'Authorization: Bearer ${modelKeyPlaceholder}' -H 'Content-Type: application/json' \\`,
    `  -d ${shellWord(body)}`,
  )
}

function openAiPython(base: string, quoted: string): string {
  return lines(
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${base}", api_key="${modelKeyPlaceholder}")`,
    'answer = client.chat.completions.create(',
    `    model=${quoted},`,
    '    messages=[{"role": "user", "content": "Hi"}],',
    ')',
    'print(answer.choices[0].message.content)',
  )
}

function openAiJs(base: string, quoted: string): string {
  return lines(
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: '${base}', apiKey: '${modelKeyPlaceholder}' })`,
    'const answer = await client.chat.completions.create({',
    `  model: ${quoted},`,
    "  messages: [{ role: 'user', content: 'Hi' }],",
    '})',
    'console.log(answer.choices[0].message.content)',
  )
}

function claudeCode(address: string, model: string): string {
  return lines(
    // An Anthropic key would take precedence over the token.
    'unset ANTHROPIC_API_KEY',
    `export ANTHROPIC_BASE_URL=${address}`,
    `export ANTHROPIC_AUTH_TOKEN=${modelKeyPlaceholder}`,
    `export ANTHROPIC_MODEL=${model}`,
    // The model for small background tasks.
    `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${model}`,
    'claude',
  )
}

function codexToml(base: string, quoted: string): string {
  return lines(
    `model = ${quoted}`,
    "model_provider = 'bucketry'",
    // Only OpenAI runs this tool. Codex offers it by default, and other upstreams refuse it.
    "web_search = 'disabled'",
    '',
    '[model_providers.bucketry]',
    "name = 'Bucketry'",
    `base_url = '${base}'`,
    "env_key = 'BUCKETRY_KEY'",
    "wire_api = 'responses'",
  )
}

function continueYaml(base: string, quoted: string): string {
  return lines(
    'name: Bucketry',
    'version: 0.0.1',
    'schema: v1',
    'models:',
    `  - name: ${quoted}`,
    '    provider: openai',
    `    model: ${quoted}`,
    `    apiBase: ${base}`,
    `    apiKey: ${modelKeyPlaceholder}`,
    '    roles: [chat, edit, apply]',
  )
}

function openWebUi(base: string): string {
  return lines(
    'docker run -d -p 3000:8080 -v open-webui:/app/backend/data \\',
    `  -e OPENAI_API_BASE_URL=${base} \\`,
    `  -e OPENAI_API_KEY=${modelKeyPlaceholder} \\`,
    '  --name open-webui ghcr.io/open-webui/open-webui:main',
  )
}

function libreChat(base: string, quoted: string): string {
  return lines(
    'endpoints:',
    '  custom:',
    "    - name: 'Bucketry'",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: LibreChat replaces it.
    "      apiKey: '${BUCKETRY_KEY}'",
    `      baseURL: '${base}'`,
    '      models:',
    `        default: [${quoted}]`,
    '        fetch: true',
    '      titleConvo: true',
    "      titleModel: 'current_model'",
  )
}
