import { join } from 'node:path'
import { createWebApp } from '../../dashboard/web-app/web-app.ts'
import type { HttpHandler } from '../../platform/http/message.ts'
import { packageFolder } from '../../platform/process/package-folder.ts'
import { ActivityWatch } from '../telemetry/activity-watch.ts'
import type { JsonProtocolParts } from './json/json-routes.ts'
import { LazyJson } from './json/lazy-json.ts'

/** Created by scripts/build.ts. */
export const webBuild = join(packageFolder, 'web/dist')

/** The dashboard, and the JSON protocols: login, management, model list. */
export interface OpenConsole {
  readonly json: HttpHandler
  readonly web: HttpHandler
  /** Of all protocols, for the dashboard. */
  readonly activity: ActivityWatch
  /** Reports mistakes in the user's own catalogue. @throws CatalogueError, for people */
  checkCatalogue(): Promise<void>
  close(): Promise<void>
}

/** @param parts what the JSON protocols work with; they are loaded when they are first asked for */
export function openConsole(parts: Omit<JsonProtocolParts, 'activity' | 'onClose'>): OpenConsole {
  const { settings, database, buckets } = parts
  const activity = new ActivityWatch({ settings, database, buckets })
  const json = new LazyJson({ ...parts, activity })
  return {
    json: json.handler,
    web: createWebApp({ folder: webBuild }),
    activity,
    async checkCatalogue() {
      if (settings.modelCatalogue !== undefined) await json.open()
    },
    async close() {
      await json.close()
      await activity.close()
    },
  }
}
