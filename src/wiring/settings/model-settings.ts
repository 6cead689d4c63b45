import { readableFile } from './parse-locations.ts'
import { visibleAscii } from './parse-plain.ts'
import type { Setting } from './setting.ts'

/** Of the model list. */
export const modelSettings = {
  modelsApiKey: {
    name: 'MODELS_API_KEY',
    whenUnset: 'no key required',
    meaning: 'Key that clients of the model list must send, as Bearer or x-api-key.',
    isSecret: true,
    parse: visibleAscii,
  },
  modelCatalogue: {
    name: 'MODEL_CATALOGUE',
    whenUnset: 'built-in catalogue',
    meaning: 'JSON file that replaces the built-in model catalogue (docs/model-catalogue.md).',
    parse: readableFile,
  },
} as const satisfies Record<string, Setting<unknown>>
