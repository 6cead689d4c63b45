import type { ServiceKind } from '../list/routing-inputs.ts'
import type { UpstreamFlavour } from '../upstream/upstream.ts'

/** A path that calls a model. */
export interface CallPath {
  /** Below `/v1`, and below the base URL of the upstream. */
  readonly path: string
  readonly flavour: UpstreamFlavour
  /** If lists of several kinds contain an id, the model of one of these kinds is called. */
  readonly kinds: ReadonlySet<ServiceKind>
  /** The form of the body, which has the field `model`: a JSON object or multipart/form-data. */
  readonly body: 'json' | 'form'
  /** Whether calls use no tokens. */
  readonly isFree?: boolean
  readonly operationId: string
  readonly summary: string
}

const chat: ReadonlySet<ServiceKind> = new Set(['llm', 'imageToText'])
const speech: ReadonlySet<ServiceKind> = new Set(['stt'])

/** Every path that calls a model. */
export const callPaths: readonly CallPath[] = [
  {
    ...{ path: '/chat/completions', flavour: 'openai', kinds: chat, body: 'json' },
    ...{ operationId: 'createChatCompletion', summary: 'Calls a chat model' },
  },
  {
    ...{ path: '/completions', flavour: 'openai', kinds: chat, body: 'json' },
    ...{ operationId: 'createCompletion', summary: 'Calls a text completion model' },
  },
  {
    ...{ path: '/responses', flavour: 'openai', kinds: chat, body: 'json' },
    ...{ operationId: 'createResponse', summary: "Calls a chat model through OpenAI's Responses" },
  },
  {
    ...{ path: '/embeddings', flavour: 'openai', kinds: new Set(['embedding']), body: 'json' },
    ...{ operationId: 'createEmbedding', summary: 'Calls an embedding model' },
  },
  {
    ...{ path: '/images/generations', flavour: 'openai', kinds: new Set(['image']), body: 'json' },
    ...{ operationId: 'createImage', summary: 'Calls an image model' },
  },
  {
    ...{ path: '/audio/speech', flavour: 'openai', kinds: new Set(['tts']), body: 'json' },
    ...{ operationId: 'createSpeech', summary: 'Calls a text-to-speech model' },
  },
  {
    ...{ path: '/audio/transcriptions', flavour: 'openai', kinds: speech, body: 'form' },
    ...{ operationId: 'createTranscription', summary: 'Calls a speech-to-text model' },
  },
  {
    ...{ path: '/audio/translations', flavour: 'openai', kinds: speech, body: 'form' },
    ...{ operationId: 'createTranslation', summary: 'Calls a speech-to-text model, to English' },
  },
  {
    ...{ path: '/messages', flavour: 'anthropic', kinds: chat, body: 'json' },
    ...{ operationId: 'createMessage', summary: "Calls a chat model through Anthropic's Messages" },
  },
  {
    ...{
      path: '/messages/count_tokens',
      flavour: 'anthropic',
      kinds: chat,
      body: 'json',
      isFree: true,
    },
    ...{ operationId: 'countMessageTokens', summary: 'Counts the tokens of a message' },
  },
]

/** The paths for models with this API, for messages. */
export const pathsOfFlavour = {
  openai: 'POST /v1/chat/completions or /v1/responses',
  anthropic: 'POST /v1/messages',
} as const satisfies Record<UpstreamFlavour, string>
