import {
  alpha,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
} from '@mantine/core'
import { frameTexts } from '../texts/frame.ts'

/** From the text to the darkest background of dark pages: greys with a blue tint. */
const greys: MantineColorsTuple = [
  '#e3e7ea',
  '#c4cbd2',
  '#a3adb7',
  '#8f99a3',
  '#4a525a',
  '#343b42',
  '#23282d',
  '#1c2024',
  '#15181b',
  '#0e1012',
]

/** Read when a button is shown: the language is not loaded yet. */
const closeButton = {
  get 'aria-label'() {
    return frameTexts.close
  },
}

/** Mantine names a dialog only in a later render. Until then, a screen reader would announce it without its name. */
const dialogTitle = {
  ref: (title: HTMLElement | null) =>
    title?.closest('[role=dialog]')?.setAttribute('aria-labelledby', title.id),
}

/**
 * Installed fonts need no download and cause no layout shift. `system-ui` is last: it is a poor font on Linux and in
 * some languages.
 */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  colors: { dark: greys },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    'Inter, -apple-system, BlinkMacSystemFont, "Segoe UI Variable Text", "Segoe UI", Roboto, "Adwaita Sans", Cantarell, Ubuntu, "Noto Sans", "Liberation Sans", system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    // On dark pages the default track is lighter than its contents.
    ProgressRoot: { styles: { root: { backgroundColor: 'var(--bucketry-line)' } } },
    Progress: { styles: { root: { backgroundColor: 'var(--bucketry-line)' } } },
    Tabs: {
      styles: {
        list: {
          '--tab-border-color': 'var(--bucketry-line)',
          '--tabs-color': 'var(--bucketry-accent)',
        },
      },
    },
    Menu: {
      defaultProps: {
        // The placeholder is not an allowed child of a menu. Without it, the first item takes the focus.
        withInitialFocusPlaceholder: false,
        // Outside the page's contents, a menu would not be in a landmark.
        portalProps: { target: '#main' },
      },
    },
    Notification: {
      defaultProps: { closeButtonProps: closeButton },
      styles: { description: { color: 'var(--bucketry-muted)' } },
    },
    Modal: {
      styles: { title: { fontWeight: 650, lineHeight: 1.35, overflowWrap: 'anywhere' } },
      // The close button of a dialog has no text.
      defaultProps: { closeButtonProps: closeButton },
    },
    ModalTitle: { defaultProps: dialogTitle },
    DrawerTitle: { defaultProps: dialogTitle },
    // A <header> in a dialog would be a second banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
  },
})

const tints = ['cyan', 'green', 'orange', 'red', 'teal', 'yellow'] as const

/** Colours of badges and notices on dark pages, more muted than the defaults. */
function darkTint(name: string, shades: MantineColorsTuple | undefined): Record<string, string> {
  if (shades === undefined) return {}
  return {
    [`--mantine-color-${name}-light`]: alpha(shades[6], 0.15),
    [`--mantine-color-${name}-light-hover`]: alpha(shades[6], 0.22),
    [`--mantine-color-${name}-light-color`]: shades[3],
  }
}

/** The default hover colours are too light for the text of the buttons. */
const hovered = {
  '--mantine-color-cyan-filled-hover': '#095c6b',
  '--mantine-color-red-filled-hover': '#a61e1e',
}

/** The default greys and reds have less contrast than WCAG 2.2 requires (4.5 to 1). */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...hovered,
    '--mantine-color-dimmed': '#58636d',
    '--mantine-color-placeholder': '#6b7680',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-anchor': '#0b7285',
    '--mantine-color-text': '#1b2024',
    '--mantine-color-cyan-light': '#e1f1f4',
    '--mantine-color-cyan-light-hover': '#d3e9ee',
    '--mantine-color-orange-light': '#fff0dc',
    '--mantine-color-orange-light-color': '#a33303',
    '--mantine-color-yellow-light-color': '#8a5300',
    '--mantine-color-teal-light-color': '#066649',
    '--mantine-color-green-light-color': '#1f6b2e',
  },
  dark: {
    ...hovered,
    '--mantine-color-error': '#ff8787',
    '--mantine-color-anchor': '#66d9e8',
    '--mantine-color-gray-light': '#2c333a',
    '--mantine-color-gray-light-color': '#c4cbd2',
    ...Object.assign({}, ...tints.map((name) => darkTint(name, colors[name]))),
  },
})
