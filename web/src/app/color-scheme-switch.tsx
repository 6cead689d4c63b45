import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { frameTexts } from '../texts/frame.ts'
import { IconButton } from '../ui/icon-button.tsx'

/** Defaults to the system setting; the choice is stored in this browser. */
export function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return (
    <IconButton
      label={isDark ? frameTexts.lightMode : frameTexts.darkMode}
      size="lg"
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </IconButton>
  )
}
