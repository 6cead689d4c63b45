import { IconArrowBackUp, IconTrashX } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { TrashFilesReply } from '../../../src/dashboard/management/trash-routes.ts'
import { foldedName } from '../../../src/platform/text/folded-name.ts'
import { request } from '../api/client.ts'
import { NameText } from '../files/entries/name-text.tsx'
import { visibleName } from '../files/entries/visible-name.ts'
import { formatBytes } from '../format/bytes.ts'
import { trashTexts } from '../texts/trash.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { MoreButton } from '../ui/more-button.tsx'
import { Row, RowList } from '../ui/row-list.tsx'
import classes from './trash-page.module.css'

interface TrashFilesProps {
  readonly bucket: string
  readonly trashId: string
  /** Shows only files with this part in their names. */
  readonly search: string
  readonly onRestore: (key: string) => void
  readonly onDelete: (key: string) => void
}

/** The files of one deletion, each of which can be restored or deleted. */
export function TrashFiles({ bucket, trashId, search, onRestore, onDelete }: TrashFilesProps) {
  const query = useInfiniteQuery({
    queryKey: ['trash-pages', bucket, 'files', trashId],
    queryFn: ({ pageParam: after, signal }) =>
      request<TrashFilesReply>('/-/api/trash-files', { query: { bucket, trashId, after }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const wanted = foldedName(search)
  return (
    <div className={classes.files}>
      <Loaded query={query} failure={trashTexts.filesFailure}>
        {({ pages }) => (
          <RowList>
            {pages
              .flatMap(({ files }) => files)
              .filter(({ key }) => foldedName(key).includes(wanted))
              .map(({ key, size }) => (
                <Row
                  key={key}
                  title={<NameText name={key} />}
                  detail={formatBytes(size)}
                  actions={
                    <>
                      <IconButton
                        label={trashTexts.restoreOf(visibleName(key))}
                        onClick={() => onRestore(key)}
                      >
                        <IconArrowBackUp size={18} />
                      </IconButton>
                      <IconButton
                        label={trashTexts.deleteOf(visibleName(key))}
                        color="red"
                        onClick={() => onDelete(key)}
                      >
                        <IconTrashX size={18} />
                      </IconButton>
                    </>
                  }
                />
              ))}
          </RowList>
        )}
      </Loaded>
      <MoreButton query={query} />
    </div>
  )
}
