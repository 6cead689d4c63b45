import { ApiError } from '../../platform/json-api/api-error.ts'
import type { CallableModel } from '../list/callable-models.ts'

/** The entries of the list of callable models, in the forms of clients. */

/**
 * OpenAI's form, with the fields of OpenRouter.
 *
 * @param listed the time for a model whose own is not known, Unix seconds
 */
export function openAiEntry({ id, kind, owned_by, facts }: CallableModel, listed = 0): object {
  const { name, created = listed, ...others } = facts
  const names = name === undefined ? {} : { name, display_name: name }
  return { id, object: 'model', created, owned_by, type: kind, ...names, ...others }
}

/** https://platform.claude.com/docs/en/api/models/list */
export function anthropicEntry({ id, facts }: CallableModel): object {
  const { name = id, created = 0, context_length, max_output_tokens } = facts
  return {
    ...{ type: 'model', id, display_name: name },
    // "May be set to an epoch value if the release date is unknown."
    created_at: new Date(created * 1_000).toISOString(),
    ...(context_length !== undefined && { max_input_tokens: context_length }),
    ...(max_output_tokens !== undefined && { max_tokens: max_output_tokens }),
  }
}

export interface Page {
  readonly limit: number
  readonly after_id?: string | undefined
  readonly before_id?: string | undefined
}

/** A page of Anthropic's list. @throws ApiError 400 for the id of no model in the list */
export function anthropicPage(models: readonly CallableModel[], page: Page): object {
  const { limit, after_id, before_id } = page
  const from = after_id === undefined ? 0 : positionOf(models, after_id, 'after_id') + 1
  const end = before_id === undefined ? models.length : positionOf(models, before_id, 'before_id')
  // Before an id: the last ones in front of it.
  const start = before_id === undefined ? from : Math.max(from, end - limit)
  const shown = models.slice(start, Math.min(end, start + limit))
  return {
    data: shown.map(anthropicEntry),
    has_more: before_id === undefined ? start + shown.length < end : start > from,
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
  }
}

function positionOf(
  models: readonly CallableModel[],
  id: string,
  field: 'after_id' | 'before_id',
): number {
  const position = models.findIndex((model) => model.id === id)
  if (position >= 0) return position
  throw new ApiError(400, `${field} is not in the list. Read the list from its beginning.`, {
    field,
  })
}

/**
 * Codex's form (codex-rs/protocol/src/openai_models.rs, ModelInfo), with all fields that it requires.
 *
 * @param position the order in its picker
 */
export function codexEntry({ id, facts }: CallableModel, position: number): object {
  const { name = id, context_length, architecture, supported_parameters = [] } = facts
  const modalities = architecture?.input_modalities.filter((one) => codexModalities.has(one))
  const isReasoning = supported_parameters.includes('reasoning')
  return {
    ...{ slug: id, display_name: name, description: null },
    ...(isReasoning && { default_reasoning_level: 'medium' }),
    supported_reasoning_levels: isReasoning ? reasoningLevels : [],
    ...{ shell_type: 'shell_command', visibility: 'list', supported_in_api: true },
    ...{ priority: position, upgrade: null, base_instructions: codexInstructions },
    ...{ supports_reasoning_summaries: false, support_verbosity: false, default_verbosity: null },
    ...{ apply_patch_tool_type: null, truncation_policy: { mode: 'bytes', limit: 10_000 } },
    ...{ supports_parallel_tool_calls: false, experimental_supported_tools: [] },
    ...(context_length !== undefined && { context_window: context_length }),
    ...(modalities !== undefined && { input_modalities: modalities }),
  }
}

const codexModalities: ReadonlySet<string> = new Set(['text', 'image'])

const reasoningLevels = [
  { effort: 'low', description: 'Answers fast' },
  { effort: 'medium', description: 'Thinks as long as most tasks need' },
  { effort: 'high', description: 'Thinks longer about hard tasks' },
]

/** Codex sends the instructions of the list to the model in place of its own. */
const codexInstructions = `You are a coding agent in the terminal of a person, who sees your messages and the commands that you run.

- Read the files that matter before you change anything. Follow the instructions in AGENTS.md files; the deepest one wins.
- Solve the task completely, with the smallest change that does. Keep the style of the code around it, and leave unrelated code alone.
- Search with rg if it is there. Never discard changes that you did not make, and commit only if you are asked to.
- Check your work with the tests and tools of the project where you can.
- If a command fails, find the cause. Do not repeat it unchanged.
- At the end say in a few sentences what you changed, where, and what you could not verify.`
