import { z } from 'zod'
import { type Route, route } from '../../../json-api/route.ts'
import { stateWarnings } from '../field-warnings.ts'
import { maxBodyBytes } from '../limits.ts'
import { applyEdit } from '../route-replies.ts'
import type { RoutingApiParts } from '../routing-api-parts.ts'
import type { RoutingEdit } from '../routing-store.ts'
import { exportFile } from './export-file.ts'
import { importInto, importModes } from './import-edit.ts'
import { importAnswer, importReport } from './import-report.ts'
import { readExport } from './read-export.ts'

/** Imports a 9router export in one transaction, all or nothing. */
export function importRoute({ store, sealer, catalogue, now }: RoutingApiParts): Route {
  return route({
    method: 'POST',
    path: '/import',
    operationId: 'importRouting',
    summary: 'Imports a 9router export',
    query: z.strictObject({ mode: z.enum(importModes).default('merge') }),
    bodyLimit: maxBodyBytes,
    body: exportFile,
    reply: importAnswer,
    async answer(call) {
      const { mode } = call.query
      const file = call.body
      const read = readExport(file)
      const parts = { mode, sealer, nowMs: now() }
      const edit: RoutingEdit = (before) => importInto(before, read, parts)
      const state = await applyEdit(store, edit, call)
      return importReport({ mode, file, read, state, warnings: stateWarnings(state, catalogue) })
    },
  })
}
