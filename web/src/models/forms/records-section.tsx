import { Box, Button } from '@mantine/core'
import { useDisclosure, useFocusReturn } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { WarnedRouting } from '../../../../src/models/routing/routing-schemas.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { useRouting } from '../routing-queries.ts'

interface RecordsSectionProps {
  readonly title: string
  readonly addLabel: string
  /** The title of the notice if the routing could not be loaded. */
  readonly failure: string
  readonly newForm: (onDone: () => void) => ReactNode
  readonly children: (state: WarnedRouting) => ReactNode
}

/** Records of the routing, with a button and a form to add one. */
export function RecordsSection(props: RecordsSectionProps) {
  const { title, addLabel, failure, newForm, children } = props
  const [isAdding, { open, close }] = useDisclosure(false)
  useFocusReturn({ opened: isAdding })
  return (
    <Section
      title={title}
      actions={
        <Button
          size="xs"
          leftSection={<IconPlus size={16} />}
          aria-expanded={isAdding}
          onClick={open}
        >
          {addLabel}
        </Button>
      }
    >
      {isAdding && <Box mb="md">{newForm(close)}</Box>}
      <Loaded query={useRouting()} failure={failure}>
        {children}
      </Loaded>
    </Section>
  )
}
