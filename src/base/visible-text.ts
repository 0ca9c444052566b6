// This file decides whether a text contains anything that people can see.

/** Any character besides white space, control and format characters, such as the zero-width space. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

export function isVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}
