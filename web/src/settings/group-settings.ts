import type { StatusReply } from '../../../src/dashboard/management/management-schemas.ts'
import type { SettingsReply } from '../../../src/dashboard/management/settings-route.ts'
import { settingsTexts } from '../texts/settings.ts'

type Setting = StatusReply['settings'][number]

export interface SettingGroup {
  readonly name: string
  readonly settings: readonly { readonly setting: Setting; readonly meaning: string }[]
}

interface Choice {
  /** Whether settings with their default are shown. */
  readonly isWhole: boolean
  /** All of its words must be in the name, the value or the meaning; then defaults are shown too. */
  readonly text: string
}

/** The settings to show, by topic. Those of a named drive (DRIVE_NAS) mean what DRIVE means. */
export function groupSettings(
  groups: SettingsReply['groups'],
  settings: readonly Setting[],
  { isWhole, text }: Choice,
): readonly SettingGroup[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const topics = new Map(
    groups.flatMap(({ name: topic, settings: known }) =>
      known.map(({ name, meaning }) => [name, { topic, meaning: withoutMarks(meaning) }] as const),
    ),
  )
  const found = new Map<string, SettingGroup['settings'][number][]>()
  for (const setting of settings) {
    const { topic = 'Storage', meaning = settingsTexts.startup.ofDrive } =
      topics.get(setting.name) ?? {}
    const searched = `${setting.name} ${setting.value ?? ''} ${meaning}`.toLowerCase()
    const isShown =
      words.length > 0
        ? words.every((word) => searched.includes(word))
        : isWhole || setting.source !== 'default'
    if (isShown) found.set(topic, [...(found.get(topic) ?? []), { setting, meaning }])
  }
  return [...found].map(([name, shown]) => ({ name, settings: shown }))
}

/** The meanings are written in Markdown, for the docs. */
function withoutMarks(text: string): string {
  return text.replaceAll('`', '')
}
