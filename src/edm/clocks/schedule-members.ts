// This file defines where the entities of a type have the parts of a schedule.

/** Where a schedule has its time zone, weekly windows and holidays: a property, and paths of collection navigations with properties. */
export interface ScheduleMembers {
  readonly timeZone: string;
  readonly windows: {
    readonly rows: string;
    readonly weekday: string;
    readonly from: string;
    readonly to: string;
  };
  readonly holidays?: HolidayMembers;
}

/** Without `from` and `to`, a holiday is a whole day; `open` parts of a day are open. Imported ones keep the `source` and `sequence` of their event. */
export interface HolidayMembers {
  readonly rows: string;
  readonly date: string;
  readonly from?: string;
  readonly to?: string;
  readonly open?: string;
  readonly name?: string;
  readonly source?: string;
  readonly sequence?: string;
}
