import type { ServiceKind } from '../list/routing-inputs.ts'
import type { UpstreamFlavour } from '../upstream/upstream.ts'

/** A path that calls a model, or reads a stored response of one. */
export interface CallPath {
  /** Default: POST. */
  readonly method?: 'GET' | 'DELETE'
  /** Below `/v1`, and below the base URL of the upstream. `{id}` is the ID of a response. */
  readonly path: string
  readonly flavour: UpstreamFlavour
  /** If lists of several kinds contain an id, the model of one of these kinds is called. */
  readonly kinds: ReadonlySet<ServiceKind>
  /** The form of the body, which has the field `model`: a JSON object or multipart/form-data. */
  readonly body: 'json' | 'form' | 'none'
  /** Whether the upstream stores the answer, so that it is known under its ID. */
  readonly isStored?: boolean
  /** Whether calls use no tokens. */
  readonly isFree?: boolean
  readonly operationId: string
  readonly summary: string
}

const chat: ReadonlySet<ServiceKind> = new Set(['llm', 'imageToText'])
const speech: ReadonlySet<ServiceKind> = new Set(['stt'])

const storedPath = { flavour: 'openai', kinds: chat, body: 'none', isFree: true } as const

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
    ...{ path: '/responses', flavour: 'openai', kinds: chat, body: 'json', isStored: true },
    ...{ operationId: 'createResponse', summary: "Calls a chat model through OpenAI's Responses" },
  },
  {
    ...{ path: '/responses/compact', flavour: 'openai', kinds: chat, body: 'json' },
    ...{ operationId: 'compactResponse', summary: 'Shortens the input of a response' },
  },
  {
    ...{ path: '/responses/input_tokens', flavour: 'openai', kinds: chat, body: 'json' },
    ...{ operationId: 'countInputTokens', summary: 'Counts the tokens of an input', isFree: true },
  },
  {
    ...{ ...storedPath, path: '/responses/{id}', method: 'GET' },
    ...{ operationId: 'getResponse', summary: 'Returns a stored response' },
  },
  {
    ...{ ...storedPath, path: '/responses/{id}', method: 'DELETE' },
    ...{ operationId: 'deleteResponse', summary: 'Deletes a stored response' },
  },
  {
    ...{ ...storedPath, path: '/responses/{id}/cancel' },
    ...{ operationId: 'cancelResponse', summary: 'Cancels a response in the background' },
  },
  {
    ...{ ...storedPath, path: '/responses/{id}/input_items', method: 'GET' },
    ...{ operationId: 'listInputItems', summary: 'Lists the input of a stored response' },
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
    ...{ path: '/images/edits', flavour: 'openai', kinds: new Set(['image']), body: 'form' },
    ...{ operationId: 'createImageEdit', summary: 'Calls an image model with images' },
  },
  {
    ...{ path: '/moderations', flavour: 'openai', kinds: chat, body: 'json', isFree: true },
    ...{ operationId: 'createModeration', summary: 'Calls a moderation model' },
  },
  {
    ...{ path: '/rerank', flavour: 'openai', kinds: chat, body: 'json' },
    ...{ operationId: 'rerank', summary: "Calls a reranking model, as Cohere's and Jina's" },
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
