import { z } from 'zod'
import type { JsonApp } from '../../../json-api/json-app.ts'
import { refusals } from '../../../json-api/refusals.ts'
import { stateWarnings } from '../field-warnings.ts'
import { maxBodyBytes } from '../limits.ts'
import { applyEdit } from '../route-replies.ts'
import type { RoutingApiParts } from '../routing-api-parts.ts'
import type { RoutingEdit } from '../routing-store.ts'
import { exportFile } from './export-file.ts'
import { importInto, importModes } from './import-edit.ts'
import { importAnswer, importReport } from './import-report.ts'
import { readExport } from './read-export.ts'

const query = z.strictObject({ mode: z.enum(importModes).default('merge') })

/** Imports a 9router export in one transaction, all or nothing. */
export function importRoutes(
  app: JsonApp,
  { store, sealer, catalogue, now }: RoutingApiParts,
): void {
  app.post(
    '/import',
    {
      bodyLimit: maxBodyBytes,
      schema: {
        operationId: 'importRouting',
        summary: 'Imports a 9router export',
        querystring: query,
        body: exportFile,
        response: { 200: importAnswer, ...refusals },
      },
    },
    async (request, reply) => {
      const { mode } = request.query
      const file = request.body
      const read = readExport(file)
      const parts = { mode, sealer, nowMs: now() }
      const edit: RoutingEdit = (before) => importInto(before, read, parts)
      const state = await applyEdit(store, edit, request, reply)
      return importReport({ mode, file, read, state, warnings: stateWarnings(state, catalogue) })
    },
  )
}
