import { booleanOf, integerIn, readableFile, visibleAscii } from '../parse-values.ts'
import type { Setting } from '../setting.ts'

/** The model list and model calls (docs/calling-models.md). */
export const modelSettings = {
  modelsApiKey: {
    name: 'MODELS_API_KEY',
    whenUnset: 'the list requires no key; calls require a model key',
    meaning:
      'Key that clients of the model list must send, as a bearer token or in x-api-key. It also permits calls to every model (docs/calling-models.md).',
    isSecret: true,
    parse: visibleAscii,
  },
  modelsListOpen: {
    name: 'MODELS_LIST_OPEN',
    default: 'false',
    meaning:
      'Whether `/ai/v1/models` lists all models to clients without a key. It never has keys or addresses of upstreams.',
    parse: booleanOf,
  },
  modelCatalogue: {
    name: 'MODEL_CATALOGUE',
    whenUnset: 'the built-in catalogue',
    meaning: 'JSON file that replaces the built-in model catalogue (docs/model-catalogue.md).',
    parse: readableFile,
  },
  modelsBodyMib: {
    name: 'MODELS_BODY_MIB',
    default: '64',
    meaning:
      "Maximum size of a call's body in MiB. Forms (audio) may be larger, but are then sent to only one upstream.",
    parse: integerIn({ min: 1, max: 1_024 }),
  },
  modelsConnectSeconds: {
    name: 'MODELS_CONNECT_SECONDS',
    default: '5',
    meaning: 'Maximum seconds for connecting to an upstream.',
    parse: integerIn({ min: 1, max: 600 }),
  },
  modelsFirstByteSeconds: {
    name: 'MODELS_FIRST_BYTE_SECONDS',
    default: '300',
    meaning: 'Maximum seconds until a stream of a call begins.',
    parse: integerIn({ min: 1, max: 3_600 }),
  },
  modelsAnswerSeconds: {
    name: 'MODELS_ANSWER_SECONDS',
    default: '600',
    meaning: 'Maximum seconds until the response to a call without streaming begins.',
    parse: integerIn({ min: 1, max: 3_600 }),
  },
  modelsIdleSeconds: {
    name: 'MODELS_IDLE_SECONDS',
    default: '300',
    meaning: 'Maximum seconds between two chunks of a response.',
    parse: integerIn({ min: 1, max: 3_600 }),
  },
} as const satisfies Record<string, Setting<unknown>>
