// This file names files, and checks them before they are sent, by the limits that the metadata states.
import type { Entity } from '../../model/entity.ts';
import type { StructuredType } from '../../model/model.ts';

export type FileProblem =
  | { readonly kind: 'size'; readonly limit: number }
  | { readonly kind: 'type'; readonly permitted: string }
  | { readonly kind: 'empty' };

/** What the metadata states of files: their media entity type, or a stream. */
export type FileLimits = Pick<StructuredType, 'annotations'> &
  Partial<Pick<StructuredType, 'members'>>;

/** Why a file is refused; undefined if it is not. */
export function fileProblem(
  type: FileLimits,
  file: { readonly name: string; readonly size: number; readonly type: string },
): FileProblem | undefined {
  const limit = Number(type.members?.get('Size')?.annotations['Validation.Maximum'] ?? Number.NaN);
  if (file.size > limit) return { kind: 'size', limit };
  const permitted = type.annotations['Core.AcceptableMediaTypes'];
  if (!Array.isArray(permitted) || permitted.length === 0) return undefined;
  const isPermitted = permitted.some((range: unknown) => matchesRange(file.type, String(range)));
  return isPermitted ? undefined : { kind: 'type', permitted: permitted.join(', ') };
}

/** Whether a media type is in a range such as `image/*`. Browsers do not know all types: an unknown one is left to the service. */
function matchesRange(type: string, range: string): boolean {
  if (type === '' || range === '*/*') return true;
  const [essence = ''] = type.toLowerCase().split(';');
  return range.endsWith('/*')
    ? essence.startsWith(range.slice(0, -1).toLowerCase())
    : essence === range.toLowerCase();
}

/** What a preview may show: never anything that can contain script, since a blob URL has the origin of the page. */
export function previewKind(mediaType: string): 'image' | 'text' | undefined {
  const [essence = ''] = mediaType.toLowerCase().split(';');
  if (/^image\/(?:png|jpeg|gif|webp|avif)$/.test(essence.trim())) return 'image';
  return essence.trim() === 'text/plain' ? 'text' : undefined;
}

/** Characters that are not shown, or that change the direction of what follows and so disguise the type of a file. */
const INVISIBLE = /[\p{Cc}\p{Bidi_Control}]/gu;

export const fileName = (file: Entity): string =>
  String(file.FileName ?? file.Name ?? file.Uid ?? '').replaceAll(INVISIBLE, '_');
