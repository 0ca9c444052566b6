// This script shows service requests in a table of OpenUI5. The model requests the properties that the cells show, and collects changes
// until they are saved. Tests call the functions of `window.table`.
sap.ui.define(
  [
    'sap/m/Column',
    'sap/m/ColumnListItem',
    'sap/m/Input',
    'sap/m/Table',
    'sap/m/Text',
    'sap/ui/model/Filter',
    'sap/ui/model/Sorter',
    'sap/ui/model/odata/v4/ODataModel',
  ],
  (Column, ColumnListItem, Input, Table, Text, Filter, Sorter, ODataModel) => () => {
    const { token, ...metadataUrlParams } = Object.fromEntries(
      new URLSearchParams(location.search),
    );
    const model = new ODataModel({
      serviceUrl: '/odata/',
      metadataUrlParams,
      httpHeaders: { Authorization: `Bearer ${token}` },
      autoExpandSelect: true,
      operationMode: 'Server',
      updateGroupId: 'changes',
    });
    const cells = [
      new Text({ text: '{Uid}' }),
      new Input({ value: '{Description}' }),
      new Text({ text: '{Status/Text}' }),
      new Text({ text: '{Caller/Name}' }),
    ];
    const template = new ColumnListItem({ cells });
    const table = new Table({
      columns: cells.map(() => new Column()),
      growing: true,
      growingThreshold: 10,
      items: { path: '/ServiceRequests', parameters: { $count: true }, template },
    });
    table.setModel(model).placeAt('content');
    window.table = {
      sortDescending: (path) => table.getBinding('items').sort(new Sorter(path, true)),
      filter: (path, operator, value1) =>
        table.getBinding('items').filter(new Filter({ path, operator, value1 })),
      save: async () => await model.submitBatch('changes'),
      isChanged: () => model.hasPendingChanges(),
    };
  },
);
