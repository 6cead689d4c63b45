import { z } from 'zod'
import { type Route, route } from '../../platform/json-api/route.ts'

const settingsReply = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      settings: z.array(z.object({ name: z.string(), meaning: z.string() })),
    }),
  ),
})
export type SettingsReply = z.infer<typeof settingsReply>

interface Parts {
  readonly settingGroups: SettingsReply['groups']
}

/** What the settings mean. Their values are in the status, which is read far more often. */
export function settingsRoute({ settingGroups }: Parts): Route {
  return route({
    method: 'GET',
    path: '/settings',
    operationId: 'getSettings',
    summary: 'Describes the settings, by topic',
    reply: settingsReply,
    answer: async () => ({ groups: settingGroups }),
  })
}
