import { integerIn, readableFile, visibleAscii } from '../parse-values.ts'
import type { Setting } from '../setting.ts'

/** Of the model list, and of calls of its models. */
export const modelSettings = {
  modelsApiKey: {
    name: 'MODELS_API_KEY',
    whenUnset: 'no key required for the list; calls need a model key',
    meaning:
      'Key that clients of the model list must send, as Bearer or x-api-key. With it, clients may call every model (docs/calling-models.md).',
    isSecret: true,
    parse: visibleAscii,
  },
  modelCatalogue: {
    name: 'MODEL_CATALOGUE',
    whenUnset: 'built-in catalogue',
    meaning: 'JSON file that replaces the built-in model catalogue (docs/model-catalogue.md).',
    parse: readableFile,
  },
  modelsBodyMib: {
    name: 'MODELS_BODY_MIB',
    default: '64',
    meaning:
      'Most MiB of the body of a call. Forms (audio) may be larger, but are then sent to one upstream only.',
    parse: integerIn({ min: 1, max: 1_024 }),
  },
  modelsConnectSeconds: {
    name: 'MODELS_CONNECT_SECONDS',
    default: '5',
    meaning: 'Most seconds that an upstream may take to accept the connection of a call.',
    parse: integerIn({ min: 1, max: 600 }),
  },
  modelsFirstByteSeconds: {
    name: 'MODELS_FIRST_BYTE_SECONDS',
    default: '60',
    meaning:
      'Most seconds until the answer of a call begins. Without streaming, many models take longer than a minute.',
    parse: integerIn({ min: 1, max: 3_600 }),
  },
  modelsIdleSeconds: {
    name: 'MODELS_IDLE_SECONDS',
    default: '120',
    meaning: 'Most seconds between two pieces of an answer of a call.',
    parse: integerIn({ min: 1, max: 3_600 }),
  },
} as const satisfies Record<string, Setting<unknown>>
