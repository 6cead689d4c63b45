import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferKind } from '../../../../src/models/list/listed-provider.ts'

const kindOfId = {
  'text-embedding-3-large': 'embedding',
  'Nomic-EMBED-text': 'embedding',
  // docs/contract/model-list.md, "Kind of an id": embed before voice, voice before image.
  'embed-voice-image': 'embedding',
  'voice-image': 'tts',
  'tts-1-hd': 'tts',
  'speech-2.8': 'tts',
  'gpt-4o-audio-preview': 'tts',
  'my-Voice': 'tts',
  'gpt-image-1': 'image',
  'imagen-4.0': 'image',
  'dall-e-3': 'image',
  dalle2: 'image',
  'flux-general-en': 'image',
  'sdxl-turbo': 'image',
  'sd-3.5': 'image',
  'stable-diffusion-xl': 'image',
  'whisper-1': 'llm',
  'gpt-5.6': 'llm',
  sd3: 'llm',
  '': 'llm',
} as const

for (const [id, kind] of Object.entries(kindOfId)) {
  test(`inferKind takes ${JSON.stringify(id)} for ${kind}`, () => assert.equal(inferKind(id), kind))
}
