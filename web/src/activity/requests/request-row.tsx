import { Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ActivityStatus } from '../../../../src/dashboard/management/activity-schemas.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { NameText } from '../../files/entries/name-text.tsx'
import { activityTexts } from '../../texts/activity.ts'
import { Age } from '../../ui/age.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Row } from '../../ui/row-list.tsx'
import { authorText, moreText, targetText, technicalText } from './request-text.ts'
import { eventText } from './request-words.ts'

export function RequestRow({ request }: { readonly request: ActivityStatus }) {
  const { at, requestId, isFailure, status, reason, remoteAddress, more } = request
  const [isOpen, { toggle }] = useDisclosure(false)
  const event = eventText(request)
  const target = targetText(request)
  const author = authorText(request)
  const left = moreText(more)
  return (
    <Row
      title={
        <>
          {isFailure ? (
            <Text span inherit c={colorOf(status)}>
              {event}
            </Text>
          ) : (
            event
          )}{' '}
          {target !== '' && <NameText name={target} />}
        </>
      }
      detail={
        <>
          {reason !== null && (
            <Text fz={13.5} mt={3} mb={1} c="var(--mantine-color-text)">
              {shownMessage(reason)}
            </Text>
          )}
          <Age at={at} />
          {author !== '' && `, ${author}`}
          {left !== undefined && <div>{left}</div>}
          {isOpen && (
            <div translate="no">
              {activityTexts.requests.origin(technicalText(request), remoteAddress, requestId)}
            </div>
          )}
        </>
      }
      actions={
        <IconButton
          label={activityTexts.requests.details(event, target)}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          <IconInfoCircle size={18} />
        </IconButton>
      }
    />
  )
}

/** Refused requests are mostly mistakes of clients. */
function colorOf(status: number): string {
  return `var(--mantine-color-${status >= 500 ? 'red' : 'orange'}-light-color)`
}
