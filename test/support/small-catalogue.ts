import { parseCatalogue } from '../../src/models/catalogue/catalogue.ts'

/** One provider for each case of the model list. */
const providers = [
  {
    id: 'alpha',
    serviceKinds: ['llm', 'embedding', 'tts', 'image', 'stt', 'imageToText'],
    models: [
      { id: 'chat-1' },
      { id: 'voice-of-reason' },
      { id: 'vectors', type: 'embedding' },
      { id: 'speaker', type: 'tts' },
      { id: 'painter', type: 'image' },
      { id: 'listener', type: 'stt' },
      { id: 'reader', type: 'imageToText' },
    ],
    ttsConfig: { models: [{ id: 'speaker' }, { id: 'speaker-hd' }] },
    embeddingConfig: { models: [{ id: 'vectors' }, { id: 'vectors-xl' }] },
  },
  { id: 'deepthink', alias: 'dt', models: [{ id: 'dt-chat' }, { id: 'dt-reason' }] },
  {
    id: 'own-ai',
    alias: 'own',
    serviceKinds: ['image', 'embedding'],
    models: [
      { id: 'own-ai/painter', type: 'image' },
      { id: 'own-ai/vectors', type: 'embedding' },
    ],
    embeddingConfig: { models: [{ id: 'own-ai/vectors' }] },
  },
  { id: 'finder', serviceKinds: ['webSearch', 'webFetch'], searchConfig: {}, fetchConfig: {} },
  { id: 'seeker', alias: 'sk', serviceKinds: ['llm', 'webSearch'], searchConfig: {} },
]

export const smallCatalogue = parseCatalogue([
  { name: 'small.json', text: JSON.stringify(providers) },
])
