import { z } from 'zod'

/** The result of a connection test. Never contains the key. */
export const probeReport = z.object({
  outcome: z
    .enum(['ok', 'failed', 'untested'])
    .describe('ok: the upstream returned a list of models. untested: no request was sent'),
  status: z.int().optional().describe('HTTP status of the upstream'),
  modelCount: z.int().optional().describe('Models in the list'),
  message: z.string().describe('A message to show, at most a few hundred characters'),
  durationMs: z.number(),
})

export type ProbeReport = z.output<typeof probeReport>
