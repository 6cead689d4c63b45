import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
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
  readonly newDialog: (onDone: () => void) => ReactNode
  readonly children: (state: WarnedRouting) => ReactNode
}

/** Records of the routing, with a button and a dialog to add one. */
export function RecordsSection(props: RecordsSectionProps) {
  const { title, addLabel, failure, newDialog, children } = props
  const [isAdding, { open, close }] = useDisclosure(false)
  return (
    <Section
      title={title}
      actions={
        <Button size="xs" leftSection={<IconPlus size={16} />} onClick={open}>
          {addLabel}
        </Button>
      }
    >
      {isAdding && newDialog(close)}
      <Loaded query={useRouting()} failure={failure}>
        {children}
      </Loaded>
    </Section>
  )
}
