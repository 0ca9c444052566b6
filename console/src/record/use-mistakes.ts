// This file shows what is wrong with a form that was sent: mistakes at their fields, those without a field above them, and failures as messages.
import { useEffect, useRef, useState } from 'react';
import { type ErrorDetail, mistakesOf, RequestFailed } from '../api/request-failed.ts';
import { useErrorText } from '../components/error-notice.tsx';
import { showToast } from '../components/toasts.tsx';
import { useText } from '../i18n/text.tsx';
import type { Field } from './fields.ts';
import { focusField } from './form-fields.tsx';
import type { FormStore } from './form-store.ts';
import { placeMistakes } from './mistakes.ts';

interface SentForm {
  readonly fields: readonly Field[];
  readonly store: FormStore;
  /** Prefix of the ids of fields. */
  readonly form: string;
}

export function useMistakes({ fields, store, form }: SentForm) {
  const text = useText();
  const errorText = useErrorText();
  const [others, setOthers] = useState<readonly ErrorDetail[]>([]);
  // The message about a failure goes when the form is sent again, and with the form, because nothing is left to retry then.
  const closeFailure = useRef<() => void>(undefined);
  useEffect(() => () => closeFailure.current?.(), []);
  /**
   * Returns whether the service has rejected the values.
   *
   * @param retry sends the form again
   */
  const show = (error: unknown, retry?: () => void): boolean => {
    if (!(error instanceof RequestFailed) || error.status === 0 || error.status >= 500) {
      const action = retry && { label: text('common.retry'), run: retry };
      closeFailure.current = showToast({
        kind: 'failure',
        text: errorText(error),
        ...(action && { action }),
      });
      return false;
    }
    const paths = fields.filter(({ readOnly }) => !readOnly).map(({ path }) => path);
    const placed = placeMistakes(mistakesOf(error), paths);
    store.setErrors(new Map([...placed.fields].map(([path, all]) => [path, all.join(' ')])));
    setOthers(placed.others);
    const [first] = placed.fields.keys();
    if (first !== undefined) focusField(form, first);
    return true;
  };
  const clear = () => {
    closeFailure.current?.();
    setOthers([]);
  };
  return { others, show, clear };
}
