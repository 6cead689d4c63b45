import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a page asks for, and what it gets where it is installed (Debian: fonts-inter, …). */
const preferred = {
  'system-ui': 'Inter',
  'sans-serif': 'Inter',
  monospace: 'JetBrains Mono',
} as const

/**
 * Writes a configuration of fontconfig under which the system's fonts are as good to read as those
 * of a desktop; without the packages they are what the machine has.
 *
 * @returns its path, for FONTCONFIG_FILE.
 */
export function writeFontSettings(folder: string): string {
  const rules = Object.entries(preferred).map(
    ([family, font]) => `<match target="pattern">
  <test name="family"><string>${family}</string></test>
  <edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit>
</match>`,
  )
  const path = join(folder, 'fonts.conf')
  writeFileSync(
    path,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<include>/etc/fonts/fonts.conf</include>
${rules.join('\n')}
</fontconfig>
`,
  )
  return path
}
