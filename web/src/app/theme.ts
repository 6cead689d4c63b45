import { createTheme } from '@mantine/core'

/** System fonts: the page loads nothing from elsewhere. */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: { light: 9, dark: 7 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
})
